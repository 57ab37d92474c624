/** Texts of the page that shows the causes and effects in a trace. */

export const question = "Why did it happen?";
export const questionStep = "Open an execution and choose Why, or open an event and choose Effects.";
export const noTrace = "There is no trace of it.";
export const trace = "Trace";
export const rulesThatActed = "Rules that acted";
export const tree = "Causes and effects";
export const ruleActed = (rule: string) => `Rule ${rule} acted`;

export const rulesOfEvent = (event: string) => `Rules of event ${event}`;
export const ofType = (type: string) => `of type ${type}`;
export const deliveredTo = "Delivered to webhook";
export const deliveredBy = (user: string) => ` by ${user} `;
export const verdict = (verdict: string) => `, ${verdict}`;

export const effectsOf = (execution: string, count: number) => `Effects of execution ${execution}: ${count}`;
export const took = ", took ";
export const ofTask = (task: string) => `task ${task}`;
export const startedBy = (user: string | undefined) => `started by ${user ?? "an unknown user"}`;
export const repeats = ", repeats ";
export const executionNamed = (id: string) => `execution ${id}`;

export const acted = "acted";
export const effectsOfRule = (rule: string) => `Effects of rule ${rule}`;
export const was = " was ";
export const noRules = "No rule has this trigger now.";
export const didNotAct = "These rules did not act. The reasons are found by testing the rules as they are now:";
export const moreRules = (count: number) => `${count} more rules`;
export const unreadRules = (count: number) => `${count} more rules of this trigger are not tested here.`;
export const isDisabled = "is disabled";
export const wouldActNow = "would act now: it was created, changed or enabled later, or was not allowed to see the event";
export const didNotMatch = "did not match: ";
