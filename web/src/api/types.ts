/** The words of the pages for what the API says; the types themselves are made from its description. */
import type * as G from "./generated";

export type { Page } from "./generated";

export type Session = G.SessionView;

export type Run = G.RunView;
export type State = Run["state"];
export type SavedView = G.SavedView;
export type RunError = G.ErrorView;
export type Reason = G.Reason;
/** The one that runs has no end yet; the API lists only those that ended. */
export type Attempt = Omit<G.AttemptView, "claim" | "endedAt"> & { endedAt: string | null };
export type LogLine = G.LogLine;

export type Job = G.JobEntry;
export type JobDetail = G.JobDetail;
export type JobVersion = G.VersionView;
export type Definition = G.DefinitionView;
export type JobStatistics = G.JobStatistics;
export type Template = G.TemplateView;

export type Schedule = G.ScheduleView;
export type ScheduleDetail = G.ScheduleDetail;
export type Firing = G.NextFiring;
export type PastFiring = G.FiringView;
export type Preview = G.SchedulePreview;
export type Upcoming = G.UpcomingFirings;
export type Backfill = G.BackfillView;
export type Calendar = G.CalendarView;
export type Blackout = G.BlackoutView;

export type Monitor = G.MonitorView;
export type Ping = G.PingView;

export type Track = G.TimelineTrack;
export type GraphOfRun = G.RunNodes;
export type GraphDefinition = G.GraphView;
/** What depends on what; under which condition, where there is one. */
export type GraphEdge = Pick<G.GraphEdge, "from" | "to"> & { when?: string | null };
export type GraphSummary = G.GraphItem;
export type LastRun = G.RunOutcome;
export type Grid = G.Grid;
/** Of a definition, or of a run, where it has a state as well. */
export type GraphNode = Pick<G.NodeDefinition, "name" | "job" | "group" | "kind" | "join"> &
  Partial<Omit<G.NodeView, "map">> & { map?: G.MapProgress | G.MapDefinition | null };

export type Queue = G.QueueView;
export type QueueDetail = G.QueueDetail;
export type Limit = G.QueueLimit;
export type Worker = G.WorkerView;
export type Effect = G.EffectView;
export type DeadGroup = G.LetterGroup;
export type DeadLetter = G.LetterView;
export type Breaker = G.BreakerView;
export type Overview = G.Overview;
export type Concern = G.Concern;
export type AlertRule = G.AlertRuleView;
export type AlertKind = G.AlertRuleBody["on"][number];
export type Severity = AlertRule["severity"];
export type Channel = G.AlertChannelView;
export type Incident = G.IncidentView;
export type AlertMessage = G.MessageView;
export type Found = G.SearchResults;
export type Act = G.AuditEntry;
export type Token = G.TokenView;
export type Namespace = G.Namespace;

/** What this caller may do to a thing now; the pages offer these and nothing else. */
export interface Acted {
  verbs?: string[];
}
