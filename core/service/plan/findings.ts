import type { Finding } from "../../cli/service-plan.ts";
import { isSvcError, toErrorMessage } from "../../contract/index.ts";

/** A problem of the configuration, `path: message; hint: what to do`, in its parts. */
export function toFinding(problem: string): Finding {
	const [, path = "", rest = problem] =
		/^([A-Za-z_][\w.[\]]*(?:, [A-Za-z_][\w.[\]]*)*|environment variable \w+): ([^]*)$/.exec(problem) ?? [];
	const [message = rest, ...hints] = rest.split("; hint: ");
	return { path, message, ...(hints.length > 0 && { hint: hints.join("; ") }) };
}

/** Everything that an error says is wrong. */
export function toFindings(error: unknown, path = ""): Finding[] {
	const problems = isSvcError(error) ? error.facts["problems"] : undefined;
	if (Array.isArray(problems)) return problems.map((problem) => toFinding(String(problem)));
	const finding = toFinding(toErrorMessage(error));
	return [finding.path === "" ? { ...finding, path } : finding];
}
