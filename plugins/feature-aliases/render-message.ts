import { isSvcError, type JsonObject, type JsonValue, stringifyJson, toErrorMessage } from "../../core/contract/index.ts";
import { emptyDatastoreAccess, renderWithLookups, toScope, toValueTemplate } from "../../core/feature.ts";

/** Rendered message, and data for the chat. */
export interface AliasMessage {
	readonly message?: string;
	readonly extra?: JsonObject;
}

/** Message template of an alias, for its acknowledgement or its result. */
export interface MessageFormat {
	readonly format?: string | null;
	readonly extra?: JsonObject | null;
}

/**
 * Renders a message from records that are already masked for the reader. Values in the records are never rendered as templates. An invalid
 * template does not reject, because the execution has already started. The error message then replaces the text.
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
