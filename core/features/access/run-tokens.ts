import type { ExecutionEntity } from "../../contract/index.ts";
import type { Granting } from "../../kernel/runs/granting.ts";
import type { VerifiedCredentials } from "./credentials.ts";

/** An action's own way into the API. Its token has the live action's id, so that whoever ends the run can take it away. */
export function createRunTokens(credentials: Pick<VerifiedCredentials, "draftServiceToken">): Granting {
	return {
		give({ liveaction_id, user, author, scopes, action_ref }: ExecutionEntity) {
			const draft = credentials.draftServiceToken(liveaction_id, user, {
				service: "actionrunner",
				action: action_ref,
				liveaction: liveaction_id,
				...(author !== null && { author }),
				...(scopes !== null && { scopes }),
			});
			if (draft === undefined) return undefined;
			return {
				operations: [{ insert: "token", entities: [draft.entity] }],
				environment: { SVC_ACTION_AUTH_TOKEN: draft.token },
				secret: draft.token,
			};
		},
		takeBack: ({ liveaction_id }) => [{ remove: "token", where: { id: liveaction_id } }],
	};
}
