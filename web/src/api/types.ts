/** The words of the pages for what the API says; the types themselves are made from its description. */
import type * as G from "./generated";

export type { Page, Session } from "./generated";

export type Run = G.RunView;
export type State = Run["state"];
export type RunError = G.ErrorView;
export type Reason = G.Reason;
/** The one that runs has no end yet; the API lists only those that ended. */
export type Attempt = Omit<G.AttemptView, "claim" | "endedAt"> & { endedAt: string | null };
export type LogLine = G.LogLine;

export type Job = G.JobEntry;
export type JobDetail = G.JobDocument;
export type JobVersion = G.VersionDocument;
export type Definition = G.DefinitionDocument;
export type JobStatistics = G.JobStatistics;
export type Template = G.TemplateDocument;

export type Schedule = G.ScheduleItem;
export type ScheduleDetail = G.ScheduleDocument;
export type Firing = G.FiringDocument;
export type PastFiring = G.PastDocument;
export type Preview = G.PreviewDocument;
export type Upcoming = G.UpcomingDocument;
export type Backfill = G.BackfillDocument;
export type Calendar = G.CalendarView;
export type Blackout = G.BlackoutView;

export type Track = G.TrackDocument;
export type GraphOfRun = G.NodesDocument;
export type GraphDefinition = G.GraphDocument;
/** What depends on what; under which condition, where there is one. */
export type GraphEdge = Pick<G.EdgeDocument, "from" | "to"> & { when?: string | null };
export type GraphSummary = G.GraphItem;
export type LastRun = G.OutcomeDocument;
export type Grid = G.GridDocument;
/** Of a definition, or of a run, where it has a state as well. */
export type GraphNode = Pick<G.NodeDocument, "name" | "job" | "group" | "kind" | "join"> &
  Partial<Omit<G.RunNodeDocument, "map">> & { map?: G.MapProgress | G.MapDocument | null };

export type Queue = G.QueueDocument;
export type QueueDetail = G.QueueDetail;
export type Limit = G.LimitDocument;
export type Worker = G.WorkerDocument;
export type Effect = G.EffectView;
export type DeadGroup = G.GroupDocument;
export type DeadLetter = G.LetterDocument;
export type Breaker = G.BreakerView;
export type Overview = G.OverviewDocument;
export type Concern = G.ConcernDocument;
export type Found = G.FoundDocument;
export type Act = G.AuditEntry;
export type Token = G.TokenView;
export type Namespace = G.Namespace;

/** What this caller may do to a thing now; the pages offer these and nothing else. */
export interface Acted {
  verbs?: string[];
}
