/** Texts of the start page. */

export const mayNotList = "You have no permission to list executions";
export const mayNotListStep = "Ask an administrator of this service for the permission `execution_list`.";
export const accessControlIsOff = "Access control is off";
export const everyVisitor = "Everyone who reaches this service is an administrator.";
export const everyUser = "Every user is an administrator.";
export const signInStep = "Signing in is not required: set `auth.enable: true` in the configuration to change this. ";
export const accessControlStep = "Access control is off: set `rbac.enable: true` and assign roles in `rbac.assignments`.";

export const running = "Running";
export const waiting = { delayed: "Delayed", paused: "Paused", pending: "Waiting for an answer" } as const;
export const runningNow = "Running now";
export const nothingRuns = "No executions are running.";
export const recentFailures = "Recent failures";
export const waitingInquiries = (count: number) => `Waiting for an answer: ${count.toLocaleString("en")}`;
export const asksYou = "asks you";

export const recent = "Recent executions";
export const range = "Time range";
export const ranges = { "1h": "1 hour", "24h": "24 hours", "7d": "7 days" } as const;
export const onlyNewest = (count: number) => `Only the newest ${count} executions are shown.`;
export const outcomes = ({ total, failed, most }: { readonly total: number; readonly failed: number; readonly most: number }) =>
	`${total} in total, ${failed} failed; at most ${most} in one bar`;
export const barOutcomes = (time: string, { good, bad, other }: { readonly good: number; readonly bad: number; readonly other: number }) =>
	`${time}: ${good} succeeded, ${bad} failed, ${other} others`;
export const durations = "Durations";
export const durationsText = (longest: string) => `median and 95th percentile of each bar; at most ${longest}`;
export const barDurations = (time: string, median: string, slow: string) => `${time}: median ${median}, 95th percentile ${slow}`;
export const plotLabel = (title: string, text: string) => `${title}: ${text}`;
export const now = "now";
