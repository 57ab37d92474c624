import type { Finding } from "../../cli/service-plan.ts";
import { isSvcError, toErrorMessage } from "../../contract/index.ts";

/** Splits a problem of the configuration, `path: message; hint: what to do`, into its parts. */
export function toFinding(problem: string): Finding {
	const [, path = "", rest = problem] =
		/^([A-Za-z_][\w.[\]]*(?:, [A-Za-z_][\w.[\]]*)*|environment variable \w+): ([^]*)$/.exec(problem) ?? [];
	const [message = rest, ...hints] = rest.split("; hint: ");
	return { path, message, ...(hints.length > 0 && { hint: hints.join("; ") }) };
}

/** Returns a finding for each problem that an error contains. */
export function toFindings(error: unknown, path = ""): Finding[] {
	const problems = isSvcError(error) ? error.facts["problems"] : undefined;
	if (Array.isArray(problems)) return problems.map((problem) => toFinding(String(problem)));
	const finding = toFinding(toErrorMessage(error));
	return [finding.path === "" ? { ...finding, path } : finding];
}
