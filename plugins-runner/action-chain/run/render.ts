import { setTimeout as delay } from "node:timers/promises";
import {
	isSvcError,
	type JsonObject,
	type JsonValue,
	type RunContext,
	SvcError,
	stringifyJson,
	toErrorMessage,
} from "../../../core/contract/index.ts";

/** Milliseconds between retries while the datastore is unavailable. */
const pause = 1_000;
/** Maximum characters of a template that an error message quotes. */
const maxShownLength = 200;

/** Renders the templates of a chain. They are Jinja only, and strings remain strings. */
export async function render(
	{ expressions, signal }: Pick<RunContext, "expressions" | "signal">,
	value: JsonValue,
	names: JsonObject,
): Promise<JsonValue> {
	for (;;) {
		try {
			return await expressions.evaluate(value, { variables: {}, names, language: "jinja", keepsText: true });
		} catch (error) {
			// Retry: the chain must not fail because the datastore is unavailable.
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			await delay(pause, undefined, { signal });
		}
	}
}

/** Renders each of several values. An error message names the value and its kind, as given by `what`, such as `publish parameter`. */
export async function renderEach(
	context: Pick<RunContext, "expressions" | "signal">,
	values: JsonObject,
	names: JsonObject,
	{ what, task }: { readonly what: string; readonly task: string },
): Promise<JsonObject> {
	const rendered: [string, JsonValue][] = [];
	for (const [name, value] of Object.entries(values)) {
		try {
			rendered.push([name, await render(context, value, names)]);
		} catch (error) {
			if (context.signal.aborted) throw error;
			const text = (typeof value === "string" ? value : stringifyJson(value)).slice(0, maxShownLength);
			const where = `Failed rendering value for ${what} "${name}" in task "${task}" (template string=${text})`;
			throw new SvcError("SVC_INVALID", `${where}: ${toErrorMessage(error)}`, { cause: error });
		}
	}
	return Object.fromEntries(rendered);
}
