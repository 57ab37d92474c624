import { useSignal } from "@preact/signals";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { isSvcError, type JsonObject, type ParameterDefinitions } from "../../../../core/contract/index.ts";
import { escapeControlCharactersInLines } from "../../../_shipped/client.ts";
import { session } from "../kit/service.ts";
import * as common from "../texts/common.ts";
import * as messages from "../texts/form.ts";
import { type FieldProblems, type FieldTexts, readTexts, toFields, toTexts } from "./fields.ts";
import { SchemaField } from "./schema-field.tsx";

interface SchemaFormProps {
	readonly schema: ParameterDefinitions;
	/** Names of rarely used fields. They are collapsed. */
	readonly rare?: ReadonlySet<string>;
	/** Existing values. With them, the form sends only the values that the user changed. */
	readonly initial?: JsonObject | undefined;
	/** Initial contents of the form if there are no existing values. They are sent as if the user had entered them. */
	readonly proposed?: JsonObject;
	/** True if the user can remove existing values. The names of removed values are passed to `onSubmit` as `emptied`. */
	readonly canEmpty?: boolean;
	/** Label of the submit button. */
	readonly action: string;
	/** Message that is shown if the schema has no fields. */
	readonly none?: string;
	/** Receives the values. The message of a thrown error is shown in the form. */
	onSubmit(values: JsonObject, emptied: readonly string[]): Promise<void>;
	readonly onCancel?: () => void;
}

/** Shows a form for the values of a schema. Empty fields are not sent, so that the service applies its defaults. */
export function SchemaForm({ schema, rare, initial, proposed, canEmpty, action, none, onSubmit, onCancel }: SchemaFormProps) {
	const id = useId();
	const form = useRef<HTMLFormElement>(null);
	const fields = useMemo(() => toFields(schema), [schema]);
	const before = useMemo(() => (initial === undefined ? undefined : toTexts(fields, initial)), [fields, initial]);
	const texts = useSignal<FieldTexts>(before ?? toTexts(fields, proposed ?? {}));
	const problems = useSignal<FieldProblems>({});
	const refusal = useSignal("");
	const isBusy = useSignal(false);
	useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [problems.value]);
	const submit = async (event: Event) => {
		event.preventDefault();
		const read = readTexts(fields, texts.value, { before, canEmpty });
		problems.value = read.problems;
		refusal.value = "";
		if (Object.keys(read.problems).length > 0) return;
		isBusy.value = true;
		try {
			await onSubmit(read.values, read.emptied);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAUTHORIZED")) session.end();
			refusal.value = error instanceof Error ? error.message : String(error);
		}
		isBusy.value = false;
	};
	const toField = (isRare: boolean) =>
		fields.map(
			(field, index) =>
				(rare?.has(field.name) ?? false) === isRare && (
					<SchemaField
						key={field.name}
						field={field}
						id={`${id}-${index}`}
						text={texts.value[field.name] ?? ""}
						problem={problems.value[field.name]}
						isChange={before !== undefined && (canEmpty !== true || field.kind === "secret")}
						onText={(text) => (texts.value = { ...texts.value, [field.name]: text })}
					/>
				),
		);
	const isRareWrong = fields.some(({ name }) => rare?.has(name) && problems.value[name] !== undefined);
	return (
		<form ref={form} class="schema-form" noValidate onSubmit={submit}>
			{fields.length === 0 && none !== undefined && <p class="faint">{none}</p>}
			{toField(false)}
			{fields.some(({ name }) => rare?.has(name)) && (
				<details open={isRareWrong}>
					<summary>{messages.moreFields}</summary>
					{toField(true)}
				</details>
			)}
			<Refusal text={refusal.value} />
			<FormButtons action={action} isBusy={isBusy.value} onCancel={onCancel} />
		</form>
	);
}

/** Shows the error message with which the service rejected the values. */
function Refusal({ text }: { readonly text: string }) {
	if (text === "") return null;
	return (
		<p class="fault" role="alert">
			{escapeControlCharactersInLines(text)}
		</p>
	);
}

interface FormButtonsProps {
	readonly action: string;
	readonly isBusy: boolean;
	readonly onCancel: (() => void) | undefined;
}

function FormButtons({ action, isBusy, onCancel }: FormButtonsProps) {
	return (
		<div class="dialog-actions">
			{onCancel !== undefined && (
				<button type="button" onClick={onCancel}>
					{common.cancel}
				</button>
			)}
			<button type="submit" class="primary" disabled={isBusy}>
				{action}
			</button>
		</div>
	);
}
