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

/** Milliseconds between two attempts at what cannot be reached. */
const pause = 1_000;
/** Most characters of a template that a message shows. */
const longestShown = 200;

/** Renders templates of a chain: Jinja alone, and a text stays a text. */
export async function render(
	{ expressions, signal }: Pick<RunContext, "expressions" | "signal">,
	value: JsonValue,
	names: JsonObject,
): Promise<JsonValue> {
	for (;;) {
		try {
			return await expressions.evaluate(value, { variables: {}, names, language: "jinja", keepsText: true });
		} catch (error) {
			// An outage of the datastore is no fault of the chain.
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			await delay(pause, undefined, { signal });
		}
	}
}

/** The same for each of several values. An error says which of them it is about, as `what` calls it: `publish parameter`. */
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
			const text = (typeof value === "string" ? value : stringifyJson(value)).slice(0, longestShown);
			const where = `Failed rendering value for ${what} "${name}" in task "${task}" (template string=${text})`;
			throw new SvcError("SVC_INVALID", `${where}: ${toErrorMessage(error)}`, { cause: error });
		}
	}
	return Object.fromEntries(rendered);
}
