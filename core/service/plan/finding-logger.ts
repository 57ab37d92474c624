import type { Finding } from "../../cli/service-plan.ts";
import { isSvcError, toErrorMessage } from "../../contract/index.ts";
import type { TaggableLogger } from "../../kernel/plugins/engine-dependencies.ts";

/** Creates a logger that turns warnings and errors into findings: problems that a start would log without failing. */
export function createFindingLogger(findings: Finding[]): TaggableLogger {
	const add = (message: string, fields: Readonly<Record<string, unknown>> = {}) => void findings.push(toFinding(message, fields));
	const logger: TaggableLogger = { debug: () => {}, info: () => {}, warn: add, error: add, withTag: () => logger };
	return logger;
}

function toFinding(message: string, { problem, file, ...rest }: Readonly<Record<string, unknown>>): Finding {
	const inner =
		typeof problem === "object" && problem !== null && !isSvcError(problem) ? (problem as Readonly<Record<string, unknown>>) : {};
	const why = inner["message"] ?? (problem === undefined ? undefined : toErrorMessage(problem));
	const about = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`);
	const details = [...about, ...(why === undefined ? [] : [String(why)])].join(": ");
	return { path: String(inner["file"] ?? file ?? ""), message: details === "" ? message : `${message}: ${details}` };
}
