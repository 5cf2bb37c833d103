import { useQuery } from "@tanstack/react-query";
import { alertRules, session } from "@/api/queries";
import { useFilters } from "@/lib/useFilters";
import { PageHead } from "@/ui/Panels";
import { Tabs, tabOf } from "@/ui/Tabs";
import { Channels } from "./Channels";
import { Incidents } from "./Incidents";
import { Messages } from "./Messages";
import { openIn, Rules } from "./Rules";

const ABOUT: Record<string, string> = {
  incidents: "What is wrong, or was: each is open until it is over.",
  rules: "What is reported, about which jobs and queues, to whom and when.",
  channels: "The ways in which people are reached.",
  messages: "What was sent, and what is still to be sent.",
};

export function Alerts() {
  const [search] = useFilters();
  const { data: who } = useQuery(session);
  // Rules and channels are about all queues: who sees some of them sees incidents only.
  const isWhole = who !== undefined && !who.queues;
  const { data: rules } = useQuery({ ...alertRules(), enabled: isWhole });
  const tabs = [
    { key: "incidents", title: "Incidents", count: rules && openIn(rules.items) },
    { key: "rules", title: "Rules" },
    { key: "channels", title: "Channels" },
    { key: "messages", title: "Messages" },
  ].slice(0, isWhole ? 4 : 1);
  const tab = tabOf(tabs, search.tab);
  return (
    <>
      <PageHead title="Alerts" about={ABOUT[tab]} />
      <Tabs label="Alerts" tabs={tabs} current={tab}>
        {tab === "incidents" && <Incidents isWhole={isWhole} />}
        {tab === "rules" && <Rules />}
        {tab === "channels" && <Channels />}
        {tab === "messages" && <Messages />}
      </Tabs>
    </>
  );
}
