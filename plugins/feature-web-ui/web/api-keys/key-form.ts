import type { JsonObject, JsonValue, ParameterDefinitions } from "../../../../core/contract/index.ts";
import type { ApiKeyInput } from "../../../_shipped/client.ts";

/** Fields of an API key that the user can set. */
export const keyMembers: ParameterDefinitions = {
	metadata: { type: "object", description: "Who uses it, and what for." },
	expires_at: { type: "string", description: "When it ends, such as 2031-03-04T00:00:00Z. Without: never." },
	scopes: { type: "array", description: "Permissions that it may use and nothing else. Without: all that its user has." },
};

/** Converts the values of the form to a request. An empty field becomes null. */
export function toKeyInput({ metadata = {}, expires_at = null, scopes = null, user }: Readonly<Record<string, JsonValue>>): ApiKeyInput {
	return {
		metadata: metadata as JsonObject,
		expires_at: expires_at as string | null,
		scopes: scopes as readonly string[] | null,
		...(user !== undefined && { user: String(user) }),
	};
}
