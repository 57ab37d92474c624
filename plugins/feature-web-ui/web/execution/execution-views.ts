import type { ExecutionRecord } from "../../../_shipped/client.ts";
import type { ExecutionViewDefinition } from "./execution-view.ts";

const isWorkflow = ({ liveaction }: ExecutionRecord) => liveaction.action_is_workflow;

/** Views of an execution, in the order of their tabs. */
export const executionViews: readonly ExecutionViewDefinition[] = [
	{ name: "general", title: "General", load: () => import("./general-view.tsx") },
	{ name: "graph", title: "Graph", isOffered: isWorkflow, load: () => import("../workflow/graph-view.tsx") },
	{ name: "tasks", title: "Tasks", isOffered: isWorkflow, load: () => import("../workflow/tasks-view.tsx") },
	{
		name: "time",
		title: "Time line",
		isOffered: (run) => isWorkflow(run) || (run.children ?? []).length > 0,
		load: () => import("../timeline/timeline-view.tsx"),
	},
	{ name: "log", title: "Log", load: () => import("../log/log-view.tsx") },
	{
		name: "children",
		title: "Children",
		isOffered: ({ children = [] }) => children.length > 0,
		count: ({ children = [] }) => children.length,
		load: () => import("./children-view.tsx"),
	},
	{ name: "states", title: "States", load: () => import("./states-view.tsx") },
];
