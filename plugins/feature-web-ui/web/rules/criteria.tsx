import { type JsonObject, type JsonValue, stringifyJson } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, escapeControlCharactersInLines, type RuleTestRecord } from "../../../_shipped/client.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import * as texts from "../texts/rules.ts";

/** Lists the criteria that an event must meet for the rule to act, one per line. */
export function Criteria({ criteria }: { readonly criteria: JsonObject }) {
	const entries = Object.entries(criteria);
	if (entries.length === 0) return <p class="faint">{texts.noCriteria}</p>;
	return (
		<ul class="criteria">
			{entries.map(([key, criterion]) => (
				<li key={key}>
					<Criterion name={key} criterion={criterion} />
				</li>
			))}
		</ul>
	);
}

function Criterion({ name, criterion }: { readonly name: string; readonly criterion: JsonValue }) {
	if (typeof criterion !== "object" || criterion === null || !("type" in criterion) || typeof criterion.type !== "string")
		return <JsonTree value={{ [name]: criterion }} />;
	const { type, pattern, ...more } = criterion as { readonly type: string; readonly pattern?: JsonValue };
	return (
		<>
			<code>{escapeControlCharacters(name)}</code> <b>{escapeControlCharacters(type)}</b>{" "}
			{pattern !== undefined && <code>{toShownValue(pattern)}</code>}
			{Object.keys(more).length > 0 && <JsonTree value={more as JsonObject} />}
		</>
	);
}

/** Shows the criterion that an event did not meet, and the value in the event. */
export function FailedCriterion({ failed: { key, value, operator, pattern } }: { readonly failed: NonNullable<RuleTestRecord["failed"]> }) {
	return (
		<>
			<code>{escapeControlCharacters(key)}</code> {texts.valueIs} <code>{toShownValue(value)}</code>
			{texts.butRequired} <b>{escapeControlCharactersInLines(operator)}</b> <code>{toShownValue(pattern)}</code>
		</>
	);
}

/** Formats a value as text on one line. */
export function toShownValue(value: JsonValue): string {
	return escapeControlCharactersInLines(typeof value === "string" ? stringifyJson(value) : (stringifyJson(value) ?? ""));
}
