import { Plus, X } from "lucide-react";
import { Button, IconButton } from "@/ui/Button";
import { type Blank, blank as blankNamed, TYPES } from "./blanks";
import type { Problem } from "./templateDefinition";

interface Props {
  blanks: Blank[];
  onBlanks: (blanks: Blank[]) => void;
  /** What the server said of one of them. */
  problem?: Problem | null;
}

/** The parameters of a template: a row each, and what the server says of one stands below it. */
export function Blanks({ blanks, onBlanks, problem }: Props) {
  const change = (at: number, patch: Partial<Blank>) =>
    onBlanks(blanks.map((each, index) => (index === at ? { ...each, ...patch } : each)));
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 font-medium">Blanks</legend>
      <p className="text-xs text-ink-2">
        What differs from job to job. Each is asked for when a job is made from the template, unless
        it has a default, and its value goes wherever <code>{blankNamed("its_name")}</code> stands
        above. A field that is nothing but a blank becomes its value: an integer stays a number.
      </p>
      {blanks.map((blank, at) => (
        <div
          key={at}
          className="grid grid-cols-2 items-end gap-2 max-sm:border-b max-sm:border-line max-sm:pb-3 sm:grid-cols-[1fr_6.5rem_1fr_1fr_1.6fr_2rem]"
        >
          <Cell
            label="Name"
            value={blank.name}
            onText={(name) => change(at, { name })}
            required
            {...(isAbout(problem, blank) && { told: `blank-${at}` })}
          />
          <label className="grid min-w-0 gap-0.5">
            <span className={CAPTION}>Type</span>
            <select
              className="field min-w-0"
              value={blank.type}
              onChange={(event) => change(at, { type: event.target.value as Blank["type"] })}
            >
              {TYPES.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          </label>
          <Cell
            label="Default"
            example="none"
            value={blank.initial}
            onText={(initial) => change(at, { initial })}
          />
          <Cell
            label="Choices"
            example="north, south"
            value={blank.choices}
            onText={(choices) => change(at, { choices })}
          />
          <Cell
            label="What it is for"
            example="told beside its field"
            value={blank.description}
            onText={(description) => change(at, { description })}
          />
          <IconButton
            label={`Remove ${blank.name}`}
            className="max-sm:col-start-2 max-sm:justify-self-end"
            onClick={() => onBlanks(blanks.filter((_, index) => index !== at))}
          >
            <X className="size-4" />
          </IconButton>
          {isAbout(problem, blank) && (
            <p id={`blank-${at}`} className="col-span-full text-xs text-bad">
              {problem?.says}
            </p>
          )}
        </div>
      ))}
      <Button
        tone="quiet"
        icon={<Plus className="size-3.5" />}
        onClick={() =>
          onBlanks([
            ...blanks,
            { name: "", type: "string", initial: "", choices: "", description: "" },
          ])
        }
      >
        Add a blank
      </Button>
    </fieldset>
  );
}

function isAbout(problem: Problem | null | undefined, { name }: Blank): boolean {
  return problem?.blank !== undefined && problem.blank === name.trim();
}

const CAPTION = "text-2xs text-ink-2";

interface CellProps {
  label: string;
  example?: string;
  value: string;
  onText: (text: string) => void;
  required?: boolean;
  /** The id of what is wrong with it. */
  told?: string;
}

function Cell({ label, example, value, onText, required, told }: CellProps) {
  return (
    <label className="grid min-w-0 gap-0.5">
      <span className={CAPTION}>{label}</span>
      <input
        placeholder={example}
        required={required}
        aria-invalid={told !== undefined}
        aria-describedby={told}
        value={value}
        onChange={(event) => onText(event.target.value)}
        className="field min-w-0"
      />
    </label>
  );
}
