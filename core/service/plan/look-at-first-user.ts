import type { Finding } from "../../cli/service-plan.ts";
import { type AuthBackend, type PluginContext, toErrorMessage } from "../../contract/index.ts";
import { findFirstUserProblem } from "../../features/access/first-user-api.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { toFinding } from "./findings.ts";

export interface FirstUserReport {
	/** Null when that could not be found out. */
	readonly firstUser: boolean | null;
	readonly problems: readonly Finding[];
}

/** Whether a start would make the first administrator. A backend that can add users is started, asked and stopped. */
export async function lookAtFirstUser(
	{ options, roles }: ResolvedConfig,
	backend: AuthBackend | undefined,
	context: PluginContext,
): Promise<FirstUserReport> {
	const isAsked = options.auth.enable && roles.some((role) => role === "auth" || role === "api");
	if (!isAsked || backend?.addUser === undefined || backend.isEmpty === undefined) return { firstUser: false, problems: [] };
	try {
		await backend.start?.(context);
		const firstUser = await backend.isEmpty();
		const problem = firstUser ? findFirstUserProblem(options.system_user.user) : undefined;
		return { firstUser, problems: problem === undefined ? [] : [toFinding(problem)] };
	} catch (error) {
		return { firstUser: null, problems: [{ path: "auth.backend", message: toErrorMessage(error) }] };
	} finally {
		// The answer is what matters.
		await backend.stop?.().catch(() => undefined);
	}
}
