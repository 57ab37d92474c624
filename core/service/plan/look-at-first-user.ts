import type { Finding } from "../../cli/service-plan.ts";
import { type AuthBackend, type PluginContext, toErrorMessage } from "../../contract/index.ts";
import { findFirstUserProblem, findFirstUserWarning } from "../../features/access/first-user-api.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { toFinding } from "./findings.ts";

export interface FirstUserReport {
	/** Null when that could not be found out. */
	readonly firstUser: boolean | null;
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
}

/** Whether a start would make the first administrator. A backend that can add users is started, asked and stopped. */
export async function lookAtFirstUser(
	{ options, roles, access }: ResolvedConfig,
	backend: AuthBackend | undefined,
	context: PluginContext,
): Promise<FirstUserReport> {
	const isAsked = options.auth.enable && roles.some((role) => role === "auth" || role === "api");
	if (!isAsked || backend?.addUser === undefined || backend.isEmpty === undefined) return { firstUser: false, problems: [], warnings: [] };
	try {
		await backend.start?.(context);
		const firstUser = await backend.isEmpty();
		const problem = firstUser ? findFirstUserProblem(options.system_user.user) : undefined;
		const warning = firstUser ? findFirstUserWarning(options, access) : undefined;
		return { firstUser, problems: toFindingList(problem), warnings: toFindingList(warning) };
	} catch (error) {
		return { firstUser: null, problems: [{ path: "auth.backend", message: toErrorMessage(error) }], warnings: [] };
	} finally {
		// The answer is what matters.
		await backend.stop?.().catch(() => undefined);
	}
}

function toFindingList(text: string | undefined): readonly Finding[] {
	return text === undefined ? [] : [toFinding(text)];
}
