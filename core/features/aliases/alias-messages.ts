import { isSvcError, type JsonObject, type JsonValue, stringifyJson, toErrorMessage } from "../../contract/index.ts";
import { toValueTemplate } from "../../language/parameters/value-template.ts";
import { emptyDatastoreAccess, renderWithLookups } from "../../language/templates/datastore.ts";
import { toScope } from "../../language/templates/scope.ts";

/** What is said, and data for the chat. */
export interface AliasMessage {
	readonly message?: string;
	readonly extra?: JsonObject;
}

/** A message of an alias: its acknowledgement, or what it says of the end. */
export interface MessageFormat {
	readonly format?: string | null;
	readonly extra?: JsonObject | null;
}

/**
 * What a message says of these records, which are as their reader may see them. Nothing within them is a template. Never rejects for what
 * the format holds: what is wrong with it stands in its place, as the execution is under way already.
 */
export async function renderMessage({ format, extra }: MessageFormat, names: JsonObject): Promise<AliasMessage> {
	const message = (format ?? null) === null ? undefined : await render("format", format as string, names);
	const data = (extra ?? null) === null ? undefined : await render("extra", extra as JsonObject, names);
	return {
		...(message !== undefined && { message: typeof message === "string" ? message : stringifyJson(message) }),
		...(data !== undefined && { extra: typeof data === "string" ? { error: data } : (data as JsonObject) }),
	};
}

async function render(field: string, value: JsonValue, names: JsonObject): Promise<JsonValue> {
	try {
		return await renderWithLookups(emptyDatastoreAccess, (datastore) => toValueTemplate(value)?.render(toScope(names, datastore)) ?? value);
	} catch (error) {
		if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		return `${field} cannot be rendered: ${toErrorMessage(error)}`;
	}
}
