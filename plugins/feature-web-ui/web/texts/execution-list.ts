/** Texts of the list of executions. */

const count = (number: number) => (number === 1 ? "1 execution" : `${number} executions`);

export const asTable = "Show as a table";
export const asTimeline = "Show as a timeline";
export const timeline = "Timeline of executions";
export const noneFound = "No execution matches";
export const noneYet = "Nothing has run yet";
export const noneYetStep = 'Run an action on its page, or from a shell: `svc run core.local cmd="uptime"`.';
export const byRule = (rule: string) => `rule ${rule}`;

export const startedAfter = "Started after";
export const startedBefore = "Started before";
export const nested = "Nested";
export const nestedShown = "shown";
export const nestedHidden = "hidden";

export const cancelMany = (number: number) => `Cancel ${count(number)}`;
export const cancelTitle = "Cancel these executions?";
export const canceled = (number: number) => `Canceled: ${count(number)}`;
export const keep = "Keep running";
export const runAgainMany = (number: number) => `Run ${count(number)} again`;
export const runAgainTitle = "Run these executions again?";
export const startedAgain = (number: number) => `Started again: ${count(number)}`;

export const views = "Views";
export const viewNames = { all: "All", running: "Running", failed: "Failed", waiting: "Waiting" } as const;
export const saveView = "Save view";
export const deleteView = "Delete view";
export const saveTitle = "Save this view";
export const viewName = "Name (stored in this browser)";
