import { Link } from "@tanstack/react-router";
import type { Act } from "@/api/types";
import { subjectOf, whoOf } from "@/lib/acts";
import { sentence } from "@/lib/format";
import { writeJson } from "@/lib/json";
import { CopyButton } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { JsonView } from "@/ui/Json";
import { Fact } from "@/ui/Panels";
import { Time } from "@/ui/Time";

/** All that is on record of one act, and the way to what it was about. */
export function OneAct({ act, onClose }: { act: Act; onClose: () => void }) {
  const { changed, ...detail } = act.detail ?? {};
  const hasDetail = Object.keys(detail).length > 0;
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
        {isChanged(changed) && <Changed fields={changed} />}
        {act.verb === "define job" && <Versions act={act} />}
        {hasDetail && (
          <div>
            <p className="mb-1 text-xs font-medium text-ink-2">Details</p>
            <JsonView value={detail} label="Details" />
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

type Fields = Record<string, { before: unknown; after: unknown }>;

function isChanged(changed: unknown): changed is Fields {
  return typeof changed === "object" && changed !== null;
}

/** What changed, from what to what: each field once. */
function Changed({ fields }: { fields: Fields }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left">
        <caption className="mb-1 text-left text-xs font-medium text-ink-2">What changed</caption>
        <thead>
          <tr className="border-b border-line text-xs text-ink-2">
            <th scope="col" className="py-1 pr-4 font-medium">
              Field
            </th>
            <th scope="col" className="py-1 pr-4 font-medium">
              Before
            </th>
            <th scope="col" className="py-1 font-medium">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(fields).map(([name, { before, after }]) => (
            <tr key={name} className="border-b border-line align-top last:border-b-0">
              <th scope="row" className="py-1.5 pr-4 font-medium">
                {sentence(name)}
              </th>
              <td className="py-1.5 pr-4 font-mono text-xs break-all text-ink-2">
                {valueText(before)}
              </td>
              <td className="py-1.5 font-mono text-xs break-all">{valueText(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : writeJson(value);
}

/** A job has versions, which are compared in words on its own page. */
function Versions({ act }: { act: Act }) {
  const version = Number(act.detail.version);
  if (!(version > 1)) return null;
  const search = { tab: "versions", a: String(version - 1), b: String(version) };
  return (
    <p>
      <Link to="/jobs/$id" params={{ id: act.subject }} search={search as never} className="link">
        {`What changed from v${version - 1} to v${version}`}
      </Link>
    </p>
  );
}
