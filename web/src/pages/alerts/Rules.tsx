import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BellRing, Pause, Play } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask, etagOf } from "@/api/client";
import { alertRules } from "@/api/queries";
import type { AlertRule } from "@/api/types";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Kept } from "@/ui/Kept";
import { Tag } from "@/ui/State";
import { toast } from "@/ui/Toasts";
import { RuleForm } from "./RuleForm";
import { bodyOf } from "./rule";
import { Severity } from "./Severity";
import { scopeOf, timingOf, wordOf } from "./words";

/** How many incidents are open in all. */
export function openIn(rules: AlertRule[]): number {
  return rules.reduce((sum, { open }) => sum + open, 0);
}

export function Rules() {
  return (
    <Kept
      query={useQuery(alertRules())}
      subject="alertRule"
      create="create-alert-rule"
      title="New rule"
      icon={BellRing}
      empty="No alert rules"
      about="A rule says what is reported, and to which channels. Without one nobody is told of anything."
      read={(name) => ask("showAlertRule", { path: [name] })}
      describe={(each) => <About rule={each} />}
      more={(each) => <Switch rule={each} />}
      form={(each, onClose) => <RuleForm rule={each} onClose={onClose} />}
    />
  );
}

function About({ rule }: { rule: AlertRule }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Severity level={rule.severity} />
        {!rule.enabled && <Tag>Off</Tag>}
        {rule.missing.length > 0 && (
          <Tag mood="warn">{`No channel ${rule.missing.join(", ")}`}</Tag>
        )}
        {rule.open > 0 && (
          <Link to="/alerts" search={{ rule: rule.name } as never} className="link">
            {`${plural(rule.open, "open incident")}`}
          </Link>
        )}
      </p>
      <p className="mt-1">
        {rule.on.map(wordOf).join(", ")}
        <span className="text-ink-2">{` → ${rule.to.join(", ")}`}</span>
      </p>
      <p className="text-xs text-ink-2">
        {[scopeOf(rule), timingOf(rule), rule.note].filter(Boolean).join(" · ")}
      </p>
    </>
  );
}

/** Turns a rule on or off; with its version, so that nothing else of it is changed. */
function Switch({ rule }: { rule: AlertRule }) {
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  if (!may(rule, "edit")) return null;
  const turn = async () => {
    const now = await ask("showAlertRule", { path: [rule.name] });
    const body = { ...bodyOf(now), enabled: !rule.enabled };
    await ask("putAlertRule", { path: [rule.name], body, ifMatch: etagOf(now) });
    toast.done(rule.enabled ? `${rule.name} is off.` : `${rule.name} is on.`);
    await cache.invalidateQueries();
  };
  const press = () => {
    setBusy(true);
    turn()
      .catch((error) => toast.failed(error))
      .finally(() => setBusy(false));
  };
  const Icon = rule.enabled ? Pause : Play;
  return (
    <Button tone="quiet" busy={busy} icon={<Icon className="size-3.5" />} onClick={press}>
      {rule.enabled ? "Turn off" : "Turn on"}
    </Button>
  );
}
