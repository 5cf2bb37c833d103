/** The frames that pages are made of. */
import { CircleAlert, Inbox, Lock, type LucideIcon, RefreshCw, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError, isGone, type Problem, signInAddress } from "@/api/client";
import { capitalise } from "@/lib/format";
import { useAnnouncedTitle } from "./Announcer";
import { Button, buttonClass } from "./Button";

interface HeadProps {
  title: ReactNode;
  /** For the tab of the browser, where the title is more than a text. */
  name?: string;
  about?: ReactNode;
  actions?: ReactNode;
}

export function PageHead({ title, name, about, actions }: HeadProps) {
  const told = name ?? (typeof title === "string" ? title : null);
  useAnnouncedTitle(told);
  return (
    <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
      {told && <title>{`${told} · Rota`}</title>}
      <div className="min-w-0 flex-1 basis-44">
        <h1 className="flex flex-wrap items-center gap-2.5 text-xl font-semibold tracking-tight break-words">
          {title}
        </h1>
        {about && <div className="mt-1 text-ink-2">{about}</div>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  );
}

interface CardProps {
  title?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
  flush?: boolean;
}

export function Card({ title, aside, children, className = "", flush }: CardProps) {
  return (
    <section className={`card min-w-0 ${flush ? "overflow-clip" : ""} ${className}`}>
      {title && (
        <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
          <h2 className="flex-1 text-sm font-semibold whitespace-nowrap">{title}</h2>
          {aside && <div className="text-xs text-ink-2">{aside}</div>}
        </div>
      )}
      <div className={flush ? "" : "p-4"}>{children}</div>
    </section>
  );
}

interface EmptyProps {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** Says what is not there and what to do next. */
export function Empty({ icon: Icon = Inbox, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <Icon aria-hidden className="size-7 text-ink-3" />
      <p className="font-semibold">{title}</p>
      {children && <div className="max-w-md text-ink-2">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}

interface ErrorProps {
  error: unknown;
  retry?: (() => void) | undefined;
}

/** What happened, and what to do about it, in the server's own words. */
export function ErrorPanel({ error, retry }: ErrorProps) {
  const problem = error instanceof ApiError ? error.problem : null;
  if (problem?.status === FORBIDDEN) return <Refused problem={problem} />;
  const said = error instanceof Error ? error.message : "Something unexpected happened.";
  return (
    <div
      role="alert"
      className="flex flex-wrap gap-3 rounded-lg border border-bad/30 bg-bad-soft p-4"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-semibold break-words">{problem?.detail ?? said}</p>
        {problem?.remedy && <p className="mt-1 text-ink-2">{problem.remedy}</p>}
        {problem?.requestId && (
          <p className="mt-1 font-mono text-2xs text-ink-2 break-all">
            {`${problem.code} · request ${problem.requestId}`}
          </p>
        )}
      </div>
      {retry && (
        <Button icon={<RefreshCw className="size-3.5" />} onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

const FORBIDDEN = 403;

/** Not a fault: somebody with another role may see it, and the server says with which one. */
function Refused({ problem }: { problem: Problem }) {
  return (
    <div role="alert" className="card">
      <Empty
        icon={Lock}
        title="Your role does not allow this"
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <a
              href={signInAddress(location.pathname + location.search)}
              className={buttonClass("primary")}
            >
              Sign in with another token
            </a>
            <a href="/settings" className={buttonClass()}>
              See your roles
            </a>
          </span>
        }
      >
        <p className="break-words">{asSentence(problem.detail)}</p>
        {problem.remedy && <p>{problem.remedy}</p>}
      </Empty>
    </div>
  );
}

function asSentence(text: string): string {
  return capitalise(text).replace(/\.?$/, ".");
}

export function Skeleton({ lines = 4, height = "h-4" }: { lines?: number; height?: string }) {
  return (
    <div className="space-y-3 p-4" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className={`skeleton ${height} ${index % 3 === 2 ? "w-2/3" : "w-full"}`} />
      ))}
    </div>
  );
}

/** Of a whole page: it is not there, or it could not be had. */
function Absent({ error, retry }: ErrorProps) {
  const problem = error instanceof ApiError ? error.problem : null;
  if (problem?.status !== MISSING) {
    return (
      <>
        <PageHead title="This page could not be shown" />
        <ErrorPanel error={error} retry={retry} />
      </>
    );
  }
  return (
    <>
      <PageHead title="Not found" />
      <div role="alert" className="card">
        <Empty
          icon={SearchX}
          title={asSentence(problem.detail)}
          action={<Button onClick={() => history.back()}>Go back</Button>}
        >
          {problem.remedy}
        </Empty>
      </div>
    </>
  );
}

const MISSING = 404;

interface LoadProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  children: (data: T) => ReactNode;
  lines?: number;
  /** Without it there is no page. */
  page?: boolean;
}

/** Loading, error or data: each of them shown the same way on every page. */
export function Load<T>({ query, children, lines = 4, page }: LoadProps<T>) {
  if (query.data !== undefined && !isGone(query.error)) return <>{children(query.data)}</>;
  if (query.error && page) {
    return <Absent error={query.error} retry={() => void query.refetch()} />;
  }
  if (query.error) {
    return (
      <div className="in-[.card]:p-4">
        <ErrorPanel error={query.error} retry={() => void query.refetch()} />
      </div>
    );
  }
  return <Skeleton lines={lines} />;
}

interface ProgressProps {
  share: number | null | undefined;
  label: string;
  tone?: string;
}

export function Progress({ share, label, tone = "bg-run-fill" }: ProgressProps) {
  const value = Math.max(0, Math.min(1, share ?? 0));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value * 100)}
      className="h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      <div className={`h-full rounded-full ${tone}`} style={{ width: `${value * 100}%` }} />
    </div>
  );
}

/** Names and values side by side; as many pairs to a line as the place allows. */
export function Facts({ children, wide }: { children: ReactNode; wide?: boolean }) {
  const many = wide
    ? "grid-cols-[auto_1fr_auto_1fr] max-sm:gap-x-2.5 xl:grid-cols-[auto_1fr_auto_1fr_auto_1fr]"
    : "grid-cols-[auto_1fr] sm:grid-cols-[auto_1fr_auto_1fr]";
  // A day and its time of day may be on two lines where there is no room for both.
  return (
    <dl className={`grid gap-x-4 gap-y-2 max-sm:[&_time]:whitespace-normal ${many}`}>{children}</dl>
  );
}

interface FactProps {
  name: string;
  children: ReactNode;
  /** Has a line of its own on a phone. */
  long?: boolean;
}

export function Fact({ name, children, long }: FactProps) {
  return (
    <>
      <dt className={`whitespace-nowrap text-ink-2 ${long ? "max-sm:col-start-1" : ""}`}>{name}</dt>
      <dd className={`min-w-0 break-words ${long ? "max-sm:col-span-3" : ""}`}>{children}</dd>
    </>
  );
}
