import { isSvcError, SvcError } from "../../contract/index.ts";

/** Something about the value of a parameter that is not allowed. */
export function invalidParameter(name: string, message: string, cause?: unknown): SvcError {
	return new SvcError("SVC_INVALID", message, { cause, facts: { parameter: name } });
}

/** A template that cannot be rendered: besides the 400, an execution with status failed is recorded for it. */
export function templateProblem(name: string, message: string, cause?: unknown): SvcError {
	return new SvcError("SVC_INVALID", message, { cause, facts: { parameter: name, problem: "template" } });
}

/** Whether an error of `renderLive` or `renderFinal` comes from a template: unknown name, cycle, or failure while rendering. */
export function isTemplateProblem(error: unknown): error is SvcError {
	return isSvcError(error, "SVC_INVALID") && error.facts.problem === "template";
}
