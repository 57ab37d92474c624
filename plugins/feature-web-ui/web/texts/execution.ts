/** Texts of the page of one execution. */

export const tabs = "Views of this execution";
export const generalTab = "General";
export const graphTab = "Graph";
export const tasksTab = "Tasks";
export const logTab = "Log";
export const childrenTab = "Children";
export const statesTab = "States";

export const runningFor = "Running for";
export const parent = "Parent";
export const pause = "Pause";
export const resume = "Resume";
export const runTasksAgain = "Run tasks again …";
export const runWithChanges = "Run with changes …";
export const runAgain = "Run again";
export const startedAgain = "The execution was started again";
export const keep = "Keep running";
export const changes = {
	pause: {
		title: (action: string) => `Pause ${action}?`,
		action: "Pause the execution",
		done: "The execution pauses when its tasks have ended",
	},
	resume: { title: (action: string) => `Resume ${action}?`, action: "Resume the execution", done: "The execution continues" },
	cancel: { title: (action: string) => `Cancel ${action}?`, action: "Cancel the execution", done: "The execution is being canceled" },
} as const;
export const awaited = (count: number) => (count === 1 ? "Waiting for an answer" : `Waiting for ${count} answers`);

export const output = "Output";
export const noResult = "none yet";
export const downloadBytes = (count: number) => `Download ${count.toLocaleString("en")} bytes`;
export const failed = "This execution failed";
export const failedTask = "Failed task";
export const runOnlyThis = "Run only this task again";
export const lastLines = "Last lines of its output";

export const rerunTitle = (action: string) => `Run ${action} with changes`;
export const asForm = "Edit as a form";
export const asJson = "Edit as JSON";
export const jsonField = "Parameters, as JSON; parameters that you do not change keep their values";
export const notObject = "The parameters must be a JSON object, in curly brackets.";

export const since = "Since";
export const requestedBy = "Requested by";
export const context = "Context";
