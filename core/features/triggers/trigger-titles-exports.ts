import { escapeControlCharacters } from "../../contract/control-characters.ts";
import type { JsonObject, TriggerEntity } from "../../contract/index.ts";
import { timerTypes, toHookUrl, triggerRefs } from "./trigger-type-refs-exports.ts";

type Described = Pick<TriggerEntity, "type" | "parameters">;

/** Maximum characters of a title. The URL of a webhook alone may have 8,000. */
const maxTitleLength = 120;

/**
 * Returns the text by which people recognize a trigger, such as `webhook hello` or `every 5 seconds`. Its ref is often a UUID.
 * The title contains values of parameters. So mask the parameters first, and show it only to callers who may view them.
 */
export function toTriggerTitle(trigger: Described): string {
	const { type, parameters } = trigger;
	return toSourceTitle(trigger) ?? shorten([type, ...toAssignments(parameters, Object.keys(parameters).sort())]);
}

/**
 * Returns the title of a webhook or a timer. Returns undefined for other types of triggers, whose parameters may contain values of any
 * kind.
 */
export function toSourceTitle({ type, parameters }: Described): string | undefined {
	if (type === triggerRefs.webhook) return shorten(["webhook", toHookUrl(toText(parameters["url"]))]);
	if (!timerTypes.includes(type)) return undefined;
	return shorten([...toScheduleWords(type, parameters), toText(parameters["timezone"])]);
}

/** Returns the title of a trigger that no longer exists. */
export function toDeletedTitle(type: string): string {
	if (type === triggerRefs.webhook) return "deleted webhook";
	return timerTypes.includes(type) ? "deleted timer" : shorten(["deleted trigger of", type]);
}

/** Fields of a cron timer without an expression, from the longest unit to the shortest. */
const cronFields = ["year", "month", "day", "week", "day_of_week", "hour", "minute", "second"];

function toScheduleWords(type: string, parameters: JsonObject): readonly string[] {
	const { unit, delta, date, cron } = parameters;
	if (type === triggerRefs.dateTimer) return ["at", toText(date)];
	if (type === triggerRefs.cronTimer)
		return typeof cron === "string" ? ["cron", cron.trim()] : ["cron", ...toAssignments(parameters, cronFields)];
	return Number(delta) === 1 ? ["every", toText(unit).replace(/s$/, "")] : ["every", toText(delta), toText(unit)];
}

function toAssignments(parameters: JsonObject, names: readonly string[]): readonly string[] {
	return names.filter((name) => (parameters[name] ?? null) !== null).map((name) => `${name}=${toText(parameters[name])}`);
}

/** Returns a value as a title shows it: at most as long as a title, and without the contents of lists and objects, which may be large. */
function toText(value: unknown): string {
	if (value === undefined || value === null) return "";
	if (typeof value === "object") return Array.isArray(value) ? "[…]" : "{…}";
	return String(value).slice(0, maxTitleLength + 1);
}

function shorten(words: readonly string[]): string {
	const text = escapeControlCharacters(words.filter((word) => word !== "").join(" "));
	// A cut between the two halves of a surrogate pair would leave a character that UTF-8 cannot encode.
	return text.length <= maxTitleLength ? text : `${text.slice(0, maxTitleLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
