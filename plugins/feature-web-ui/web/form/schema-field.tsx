import { stringifyJson } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, escapeControlCharactersInLines } from "../../../_shipped/client.ts";
import * as texts from "../texts/form.ts";
import { type Field, isNeeded } from "./fields.ts";

interface SchemaFieldProps {
	readonly field: Field;
	/** Id of the input element. */
	readonly id: string;
	readonly text: string;
	readonly problem: string | undefined;
	/** True if the form edits existing values. An empty input then keeps the value. */
	readonly isChange: boolean;
	onText(text: string): void;
}

/** Shows one field of a form: its name, its description and its input. */
export function SchemaField({ field, id, text, problem, isChange, onText }: SchemaFieldProps) {
	const hint = toHint(field, isChange);
	const described = { id, "aria-describedby": `${id}-hint`, "aria-invalid": problem !== undefined, "aria-required": isNeeded(field) };
	return (
		<div class="field">
			<label for={id}>
				{escapeControlCharacters(field.name)}
				{isNeeded(field) && <span class="field-needed">{texts.required}</span>}
			</label>
			<FieldInput field={field} text={text} onText={onText} described={described} isChange={isChange} />
			<div id={`${id}-hint`} class="field-hint">
				{problem !== undefined && <p class="bad-text">{escapeControlCharacters(problem)}</p>}
				{hint !== "" && <p>{escapeControlCharactersInLines(hint)}</p>}
			</div>
		</div>
	);
}

type FieldInputProps = Pick<SchemaFieldProps, "field" | "text" | "onText" | "isChange"> & { readonly described: { readonly id: string } };

function FieldInput({ field: { kind, definition }, text, onText, described, isChange }: FieldInputProps) {
	const written = { value: text, spellcheck: false, autocomplete: "off" };
	switch (kind) {
		case "choice":
		case "flag":
			return (
				<select {...described} value={text} onChange={(event) => onText(event.currentTarget.value)}>
					<option value="">
						{isChange && text === "" ? texts.unchanged : (definition.default ?? null) === null ? texts.notSet : texts.theDefault}
					</option>
					{(kind === "flag" ? [true, false] : (definition.enum ?? [])).map((choice) => (
						<option key={stringifyJson(choice)} value={stringifyJson(choice)}>
							{typeof choice === "string" ? escapeControlCharacters(choice) : stringifyJson(choice)}
						</option>
					))}
				</select>
			);
		case "secret":
			return (
				<input
					{...described}
					{...written}
					type="password"
					autocomplete="new-password"
					onInput={(event) => onText(event.currentTarget.value)}
				/>
			);
		case "number":
			return <input {...described} {...written} inputMode="decimal" onInput={(event) => onText(event.currentTarget.value)} />;
		default:
			return (
				<textarea
					{...described}
					{...written}
					rows={1}
					class={kind === "text" ? undefined : "mono"}
					onInput={(event) => onText(event.currentTarget.value)}
					onKeyDown={(event) => kind === "text" && sendByEnter(event)}
				/>
			);
	}
}

/** Submits the form on Enter. Shift+Enter starts a new line; most values have a single line. */
function sendByEnter(event: KeyboardEvent): void {
	if (event.key !== "Enter" || event.shiftKey || event.isComposing || !(event.target instanceof HTMLTextAreaElement)) return;
	event.preventDefault();
	event.target.form?.requestSubmit();
}

function toHint({ kind, definition }: Field, isChange: boolean): string {
	const { description = "", type, minimum, maximum, default: value } = definition;
	return [
		description,
		kind === "json" && texts.asJson(type ?? ""),
		kind === "any" && texts.jsonOrText,
		kind === "number" && minimum !== undefined && texts.minimum(minimum),
		kind === "number" && maximum !== undefined && texts.maximum(maximum),
		kind === "secret" && isChange && texts.secretKept,
		value !== undefined &&
			value !== null &&
			value !== "" &&
			texts.defaultValue(shorten(typeof value === "string" ? value : stringifyJson(value))),
	]
		.filter((part) => part !== false && part !== "")
		.join(" ");
}

function shorten(text: string): string {
	return text.length <= 200 ? text : `${text.slice(0, 200)} …`;
}
