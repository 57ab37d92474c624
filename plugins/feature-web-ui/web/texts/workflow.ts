/** Texts of the graph and the tasks of a workflow. */

export const graph = "Graph";
export const graphLabel = "Graph of the workflow; arrow keys go from task to task";
export const tooLarge = (tasks: number) => `With ${tasks.toLocaleString("en")} tasks the workflow is too large to be drawn. `;
export const listOfTasks = "Show its tasks as a list";
export const asList = "Show as a list";
export const smaller = "Smaller";
export const larger = "Larger";
export const fit = "Fit";
export const noAction = "no action";
export const notRun = "not run";
export const edge = (from: string, to: string) => `${from} → ${to}`;
export const edgeCondition = (condition: string) => `, when ${condition}`;
export const edgePublishes = (names: string) => `, publishes ${names}`;
export const edgeTaken = (count: number) => (count > 1 ? `, taken ${count} times` : count === 1 ? ", taken" : "");

export const times = (count: number) => `${count} times`;
export const routes = (count: number) => `${count} routes`;
export const items = ({ total, succeeded, failed, active }: Readonly<Record<"total" | "succeeded" | "failed" | "active", number>>) =>
	[`${succeeded} of ${total} items`, ...(failed > 0 ? [`${failed} failed`] : []), ...(active > 0 ? [`${active} active`] : [])].join(", ");
export const command = "command";
export const starts = "starts";
export const joins = (join: string | number) => `joins ${join}`;
export const forEachItem = "for each item";
export const summary = ({ tasks, ended, failed, active }: Readonly<Record<"tasks" | "ended" | "failed" | "active", number>>) =>
	[`${tasks} ${tasks === 1 ? "task" : "tasks"}`, `${ended} ended`, ...(failed > 0 ? [`${failed} failed`] : []), `${active} active`].join(
		", ",
	);

export const rerunTitle = "Run tasks again";
export const rerunText =
	"A new execution continues this one: the chosen tasks run again, and the tasks that follow them. All other tasks keep their results.";
export const findTask = "Part of a name";
export const tasksThatRan = "Tasks that have run";
export const runTasksAgain = (count: number) => `Run ${count === 1 ? "1 task" : `${count} tasks`} again`;
export const includeSucceeded = "also the items that have succeeded";
export const runFromHere = "Run again from here …";

export const chooseTask = "Choose a task to see its input and its result.";
export const noTask = "This workflow has no such task";
export const noTaskStep = "Choose a task in the graph.";
export const taskNamed = (name: string) => `Task ${name}`;
export const properties = "Properties";
export const itemsOfTask = "Items";
export const taskHasNotRun = "This task has not run.";
export const nextTasks = "Next tasks";
export const when = " when ";
export const publishes = (names: string) => ` publishes ${names}`;
export const taken = (count: number) => (count === 1 ? " (taken)" : ` (taken ${count} times)`);
export const ran = (count: number) => (count === 1 ? "Ran once" : `Ran ${count} times`);
export const took = ", took ";
export const attemptCount = (count: number) => `, ${count} attempts`;
export const route = (number: number) => ` route ${number}`;
export const joined = (part: string) => `, ${part}`;

export const executionCount = (count: number) => `${count} executions`;
export const executionsOfTask = "Executions of this task";
export const executionsOf = (count: number, task: string) => `${count} executions of ${task}`;
export const openExecution = "Open this execution";
export const openLog = "Open its log";

export const task = "Task";
export const tasks = "Tasks";
export const attempts = "Attempts";
export const noTasks = "No task has started yet";
export const noTasksStep = "Tasks are listed here as soon as they start.";
