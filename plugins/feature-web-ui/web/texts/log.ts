/** Texts of the log of an execution. */

const format = (count: number) => count.toLocaleString("en");

export const log = "Output";
export const fullLog = "Full log";
export const nothingPrinted = "nothing printed";
export const nothingPrintedYet = "This execution has printed nothing yet";
export const nothingPrintedYetStep = "Output is shown here as soon as it is printed.";
export const noOutput = "This execution has printed nothing";
export const noOutputStep = "Its result is under General.";

export const outputType = "Type of output";
export const allOutput = "all output";
export const order =
	"Lines of stdout and stderr are in the order in which they arrived, which may differ from the order in which they were printed";
export const wrap = "Wrap";
export const showTime = "Time";
export const goToLine = "Go to line";
export const line = "Line";
export const lineCount = (count: number) => `${format(count)} ${count === 1 ? "line" : "lines"}`;
export const newLineCount = (count: number) => `${format(count)} new ${count === 1 ? "line" : "lines"} ↓`;
export const newLines = "New lines below";
export const moreCharacters = (count: number) => ` … ${format(count)} more characters: download the output to see them`;

export const search = "Search the output";
export const findInOutput = "Find in the output";
export const find = "Find";
export const previousMatch = "Previous match";
export const nextMatch = "Next match";
export const nextError = "Next error";
export const lastMatch = "This is the last match";
export const firstMatch = "This is the first match";
export const noError = "No line looks like an error";
export const noErrorBelow = "No line below looks like an error";
export const matchCount = (count: number, hasMore: boolean) => `${format(count)}${hasMore ? "+" : ""}`;
export const matchOf = (number: number, all: string) => `${number} of ${all}`;
