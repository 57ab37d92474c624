import type { ExecutionEntity } from "../../contract/index.ts";
import type { StartedCredentials } from "../../features/access/credentials.ts";
import type { TokenDraft } from "../../features/access/tokens.ts";
import type { EngineDependencies } from "../plugins/dependencies.ts";
import type { PreparedRun } from "./prepare-run.ts";

export interface RunTokenParts {
	readonly logger: EngineDependencies["logger"];
	readonly credentials: Pick<StartedCredentials, "draftServiceToken" | "removeToken">;
}

/** The action's own way into the API. It has the live action's id, so that whoever ends the run can take it away. */
export function draftRunToken(
	{ liveaction_id, user, author, scopes, action_ref }: ExecutionEntity,
	{ credentials }: Pick<RunTokenParts, "credentials">,
): TokenDraft | undefined {
	return credentials.draftServiceToken(liveaction_id, user, {
		service: "actionrunner",
		action: action_ref,
		liveaction: liveaction_id,
		...(author !== null && { author }),
		...(scopes !== null && { scopes }),
	});
}

/** Remove the token of a run that somebody else has ended. */
export async function dropRunToken(id: string, { credentials, logger }: RunTokenParts): Promise<void> {
	await credentials
		.removeToken(id)
		.catch((error: unknown) => logger.warn("token of an ended run was not removed", { token_id: id, error }));
}

/** Hand the token to the action: by its environment, and kept out of everything that is stored, shown or logged. */
export function withToken(prepared: PreparedRun, token: string): PreparedRun {
	const environment = { ...prepared.context.environment, SVC_ACTION_AUTH_TOKEN: token };
	return { ...prepared, secrets: prepared.secrets.with([], token), context: { ...prepared.context, environment } };
}
