/** Light, dark or as the system says; remembered in this browser. */
export type Theme = "light" | "dark" | "system";

const KEY = "rota-theme";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme): void {
  const wantsDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shown = theme === "system" ? (wantsDark ? "dark" : "light") : theme;
  document.documentElement.dataset.theme = shown;
  dispatchEvent(new Event("rota-theme"));
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme(theme);
}

export function watchSystemTheme(): void {
  applyTheme(storedTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (storedTheme() === "system") applyTheme("system");
  });
}
