import type { JsonObject, JsonValue, ParameterDefinitions } from "../../../../core/contract/index.ts";
import type { ApiKeyInput } from "../../../_shipped/client.ts";
import * as texts from "../texts/api-keys.ts";

/** Fields of an API key that the user can set. */
export const keyMembers: ParameterDefinitions = {
	metadata: { type: "object", description: texts.metadataField },
	expires_at: { type: "string", description: texts.expiryField },
	scopes: { type: "array", description: texts.scopesField },
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
