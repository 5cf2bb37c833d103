import { useFilters } from "@/lib/useFilters";
import { PageHead } from "@/ui/Panels";
import { Tabs, tabOf } from "@/ui/Tabs";
import { Namespaces, NewNamespace } from "./Namespaces";
import { NewToken } from "./NewToken";
import { Tokens } from "./Tokens";

const TABS = [
  { key: "tokens", title: "Tokens" },
  { key: "namespaces", title: "Namespaces" },
];

export function Access() {
  const [search] = useFilters();
  const tab = tabOf(TABS, search.tab);
  return (
    <>
      <PageHead
        title="Access"
        about={
          tab === "tokens"
            ? "Programs and people sign in with a token; its roles say what they may do."
            : "What is in one namespace cannot be seen from another; quotas bound what it uses."
        }
        actions={tab === "tokens" ? <NewToken /> : <NewNamespace />}
      />
      <Tabs label="Access" tabs={TABS} current={tab}>
        {tab === "tokens" ? <Tokens /> : <Namespaces />}
      </Tabs>
    </>
  );
}
