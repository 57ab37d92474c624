/** Texts of the timeline of child executions. */

export const legend = "Striped: waiting. Solid: running.";
export const none = "This execution has started no others yet";
export const noneStep = "Child executions are shown here as soon as they start.";
export const count = (number: number, isLimited: boolean) => `${isLimited ? "The first " : ""}${number.toLocaleString("en")} executions`;
