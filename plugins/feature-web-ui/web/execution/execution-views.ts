import type { ExecutionRecord } from "../../../_shipped/client.ts";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution.ts";
import type { ExecutionViewDefinition } from "./execution-view.ts";

const isWorkflow = ({ liveaction }: ExecutionRecord) => liveaction.action_is_workflow;

/** Views of an execution, in the order of their tabs. */
export const executionViews: readonly ExecutionViewDefinition[] = [
	{ name: "general", title: texts.generalTab, load: () => import("./general-view.tsx") },
	{ name: "graph", title: texts.graphTab, isOffered: isWorkflow, load: () => import("../workflow/graph-view.tsx") },
	{ name: "tasks", title: texts.tasksTab, isOffered: isWorkflow, load: () => import("../workflow/tasks-view.tsx") },
	{
		name: "time",
		title: common.timeline,
		isOffered: (run) => isWorkflow(run) || (run.children ?? []).length > 0,
		load: () => import("../timeline/timeline-view.tsx"),
	},
	{ name: "log", title: texts.logTab, load: () => import("../log/log-view.tsx") },
	{
		name: "children",
		title: texts.childrenTab,
		isOffered: ({ children = [] }) => children.length > 0,
		count: ({ children = [] }) => children.length,
		load: () => import("./children-view.tsx"),
	},
	{ name: "states", title: texts.statesTab, load: () => import("./states-view.tsx") },
];
