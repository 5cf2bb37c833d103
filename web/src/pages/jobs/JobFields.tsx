/** What a job does and under which policies, as fields of a form: of a job, or of a template of jobs. */
import { Text } from "@/ui/Fields";
import { type Kind, METHODS } from "./definition";

export const KINDS: [Kind, string][] = [
  ["command", "A program"],
  ["http", "An HTTP request"],
];

interface Props {
  old: Record<string, string>;
  /** Any text may stand in a field: ${name} is filled in later. */
  hasBlanks?: boolean;
  /** What is wrong with a field, by its name. */
  problems?: Record<string, string>;
}

export function CommandFields({ old, problems }: Props) {
  return (
    <>
      <Text
        name="command"
        problem={problems?.command}
        label="Command"
        hint="Split into words as a shell would, but run without one: no pipes, no $VARIABLES."
        initial={old.command}
        required
        mono
        placeholder="python report.py --day today"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Text
          name="env"
          problem={problems?.env}
          label="Variables"
          initial={old.env}
          rows={3}
          mono
          hint={'NAME=value, one per line. "a\\nb" in quotes for a value of several lines.'}
        />
        <Text
          name="cwd"
          problem={problems?.cwd}
          label="Folder"
          initial={old.cwd}
          mono
          hint="The worker's own if empty."
        />
      </div>
    </>
  );
}

export function HttpFields({ old, hasBlanks, problems }: Props) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
        <Text
          name="method"
          problem={problems?.method}
          label="Method"
          initial={old.method}
          {...(hasBlanks ? { suggestions: METHODS } : { options: METHODS })}
        />
        <Text
          name="url"
          problem={problems?.url}
          label="Address"
          initial={old.url}
          type={hasBlanks ? "text" : "url"}
          required
          mono
          placeholder="https://"
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Text
          name="headers"
          problem={problems?.headers}
          label="Headers"
          initial={old.headers}
          rows={3}
          mono
          hint="Name: value, one per line."
        />
        <Text name="body" problem={problems?.body} label="Body" initial={old.body} rows={3} mono />
      </div>
      <Text
        name="expect"
        problem={problems?.expect}
        label="Statuses that are a success"
        initial={old.expect}
        hint="Any 2xx if empty."
      />
    </>
  );
}

export function PolicyFields({ old, hasBlanks, problems }: Props) {
  return (
    <div className="grid gap-4 sm:grid-cols-2 md:grid-cols-3">
      <Text
        name="queue"
        problem={problems?.queue}
        label="Queue"
        initial={old.queue}
        placeholder="default"
      />
      <Text
        name="priority"
        problem={problems?.priority}
        label="Priority"
        initial={old.priority}
        type={hasBlanks ? "text" : "number"}
        min={-100}
        max={100}
        placeholder="0"
      />
      <Text
        name="retries"
        problem={problems?.retries}
        label="Retries"
        initial={old.retries}
        type={hasBlanks ? "text" : "number"}
        min={0}
        placeholder="3"
      />
      <Text
        name="timeout"
        problem={problems?.timeout}
        label="Timeout"
        initial={old.timeout}
        hint="Seconds, or 90s, 10m, 2h."
        placeholder="none"
      />
      <Text
        name="expires"
        problem={problems?.expires}
        label="Expires"
        initial={old.expires}
        hint="Dropped after waiting so long."
        placeholder="never"
      />
      <Text
        name="dependencies"
        problem={problems?.dependencies}
        label="Runs after"
        initial={old.dependencies}
        hint="Names of jobs, separated by commas."
      />
      <Text
        name="onFailure"
        problem={problems?.onFailure}
        label="On failure"
        initial={old.onFailure}
        hint="The job that is told of a failed run."
        placeholder="none"
      />
    </div>
  );
}
