import { useFilters } from "@/lib/useFilters";
import { PageHead } from "@/ui/Panels";
import { Tabs, tabOf } from "@/ui/Tabs";
import { Namespaces, NewNamespace } from "./access/Namespaces";
import { NewToken, Tokens } from "./access/Tokens";

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
        title="Tokens and namespaces"
        actions={tab === "tokens" ? <NewToken /> : <NewNamespace />}
      />
      <Tabs label="Access" tabs={TABS} current={tab} />
      {tab === "tokens" ? <Tokens /> : <Namespaces />}
    </>
  );
}
