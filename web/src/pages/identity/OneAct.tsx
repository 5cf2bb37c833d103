import { Link } from "@tanstack/react-router";
import type { Act } from "@/api/types";
import { subjectOf, whoOf } from "@/lib/acts";
import { sentence } from "@/lib/format";
import { CopyButton } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { JsonView } from "@/ui/Json";
import { Fact } from "@/ui/Panels";
import { Time } from "@/ui/Time";

/** All that is on record of one act, and the way to what it was about. */
export function OneAct({ act, onClose }: { act: Act; onClose: () => void }) {
  const hasDetail = Object.keys(act.detail ?? {}).length > 0;
  const subject = subjectOf(act);
  return (
    <Dialog open wide title={`${sentence(act.verb)}: ${subject.text}`} onClose={onClose}>
      <div className="space-y-4">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
          <Fact name="Subject">
            {subject.to ? (
              <Link to={subject.to} className="link">
                {subject.text}
              </Link>
            ) : (
              subject.text
            )}
            {subject.isShort && <Mono text={act.subject} />}
          </Fact>
          <Fact name="Who">{whoOf(act.who)}</Fact>
          <Fact name="When">
            <Time at={act.at} /> (<Time at={act.at} ago />)
          </Fact>
          {act.address && <Fact name="From">{act.address}</Fact>}
          {act.requestId && (
            <Fact name="Request">
              <Mono text={act.requestId} />
            </Fact>
          )}
          <Fact name="In the chain">
            {act.hash ? (
              <>
                {`Number ${act.seq}, with the hash`}
                <Mono text={act.hash} />
              </>
            ) : (
              "It gets its place within seconds."
            )}
          </Fact>
        </dl>
        {hasDetail && (
          <div>
            <p className="mb-1 text-xs font-medium text-ink-2">Details</p>
            <JsonView value={act.detail} label="Details" />
          </div>
        )}
        <p className="flex flex-wrap gap-x-4 gap-y-1">
          <Link
            to="/audit"
            search={{ subject: act.subject } as never}
            className="link"
            onClick={onClose}
          >
            All that was done to it
          </Link>
          <Link to="/audit" search={{ who: act.who } as never} className="link" onClick={onClose}>
            {`All that ${whoOf(act.who)} did`}
          </Link>
        </p>
      </div>
    </Dialog>
  );
}

function Mono({ text }: { text: string }) {
  return (
    <span className="flex items-center gap-1">
      <span className="font-mono text-2xs break-all text-ink-2">{text}</span>
      <CopyButton text={text} />
    </span>
  );
}
