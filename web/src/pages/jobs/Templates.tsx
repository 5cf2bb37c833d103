import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LayoutTemplate } from "lucide-react";
import { useState } from "react";
import { may } from "@/api/actions";
import { ask } from "@/api/client";
import { templates } from "@/api/queries";
import type { Template } from "@/api/types";
import { plural } from "@/lib/format";
import type { Schema, Values } from "@/lib/schema";
import { Button } from "@/ui/Button";
import { FormDialog } from "@/ui/Dialog";
import { Kept } from "@/ui/Kept";
import { SchemaForm } from "@/ui/SchemaForm";
import { toast } from "@/ui/Toasts";
import { TemplateForm } from "./TemplateForm";

/** Jobs with blanks, from which jobs are made. */
export function Templates() {
  return (
    <Kept
      query={useQuery(templates())}
      subject="template"
      create="create-template"
      title="New template"
      icon={LayoutTemplate}
      empty="No templates"
      about="A template is a job with blanks: write ${name} for what differs, and make as many jobs from it as you need."
      read={(name) => ask("showTemplate", { path: [name] })}
      describe={(each) => (
        <>
          <p>{each.description || "No description"}</p>
          <p className="text-xs text-ink-2">
            {`${plural(blanksOf(each), "blank")} · revision ${each.revision} by ${each.changedBy}`}
          </p>
        </>
      )}
      form={(each, onClose) => <TemplateForm template={each} onClose={onClose} />}
      more={(each) => may(each, "instantiate") && <Make template={each} />}
    />
  );
}

function blanksOf({ parameters }: Template): number {
  return Object.keys((parameters as Schema).properties ?? {}).length;
}

function Make({ template }: { template: Template }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [values, setValues] = useState<Values>({});
  const [problem, setProblem] = useState<string | null>(null);
  const send = async () => {
    const body = { parameters: values };
    const made = await ask("instantiateTemplate", { path: [template.name], body });
    toast.done(`${made.jobId} was made from ${template.name}.`);
    await cache.invalidateQueries();
    await navigate({ to: "/jobs/$id", params: { id: made.jobId } });
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Make a job</Button>
      <FormDialog
        open={isOpen}
        title={`A job from ${template.name}`}
        submit="Create the job"
        disabled={problem !== null}
        onClose={() => setOpen(false)}
        onSubmit={send}
      >
        <SchemaForm
          schema={template.parameters as Schema}
          values={values}
          onChange={(next, wrong) => {
            setValues(next);
            setProblem(wrong);
          }}
        />
      </FormDialog>
    </>
  );
}
