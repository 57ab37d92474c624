import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { tasksOf } from "./draft-definition.ts";
import { draftTargets, transitionsOf } from "./draft-task.ts";
import { findingAt } from "./finding.ts";
import { limits } from "./limits.ts";
import type { Spot } from "./source.ts";

/** Whether a definition is so large that its graph is not even made. */
export function checkLimits(top: Spot): readonly DefinitionFinding[] {
	const tasks = top.property("tasks");
	const count = tasks.names().length;
	if (count > limits.tasks) return [findingAt(tasks, "syntax", `There are ${count} tasks; at most ${limits.tasks} are allowed.`)];
	const targets = [...tasksOf(top).values()].flatMap((task) => transitionsOf(task).map(({ spot }) => draftTargets(spot).length));
	const edges = targets.reduce((sum, each) => sum + each, 0);
	if (edges > limits.edges) return [findingAt(tasks, "syntax", `Transitions have ${edges} targets; at most ${limits.edges} are allowed.`)];
	const long = [...tasksOf(top)].filter(([name]) => name.length > limits.taskName);
	return long.map(([, spot]) => findingAt(spot, "syntax", `The name of a task has at most ${limits.taskName} characters.`));
}
