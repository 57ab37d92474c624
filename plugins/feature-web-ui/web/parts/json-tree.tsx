import { useSignal } from "@preact/signals";
import type { JsonValue } from "../../../../core/contract/index.ts";
import { escapeControlCharactersInLines } from "../../../_shipped/client.ts";
import * as common from "../texts/common.ts";
import * as texts from "../texts/frame.ts";

/** Number of members of one level that are rendered at first; a button shows more. */
const maxMembers = 100;
/** Characters of a string that are rendered at first. */
const maxTextLength = 2_000;

interface JsonTreeProps {
	readonly value: JsonValue | undefined;
	/** Number of levels that are expanded at first. Default 2. */
	readonly open?: number;
}

/**
 * Shows a JSON value as a tree with levels that can be expanded and collapsed. Collapsed levels are not rendered, so the value may be
 * large.
 */
export function JsonTree({ value, open = 2 }: JsonTreeProps) {
	if (value === undefined) return <p class="faint">{texts.nothing}</p>;
	return (
		<div class="json">
			<Member value={value} open={open} />
		</div>
	);
}

function Member({ name, value, open }: { readonly name?: string; readonly value: JsonValue; readonly open: number }) {
	if (typeof value !== "object" || value === null) {
		return (
			<div class="json-line">
				<Name name={name} />
				<Scalar value={value} />
			</div>
		);
	}
	const entries = Object.entries(value);
	const size = Array.isArray(value) ? texts.items(entries.length) : "";
	if (entries.length === 0) {
		return (
			<div class="json-line">
				<Name name={name} />
				<span class="faint">{Array.isArray(value) ? "[]" : "{}"}</span>
			</div>
		);
	}
	return <Branch name={name} size={size} entries={entries} open={open} />;
}

interface BranchProps {
	readonly name: string | undefined;
	readonly size: string;
	readonly entries: readonly (readonly [string, JsonValue])[];
	readonly open: number;
}

function Branch({ name, size, entries, open }: BranchProps) {
	const isOpen = useSignal(open > 0);
	const shown = useSignal(maxMembers);
	const rest = entries.length - shown.value;
	const members = () => (
		<div class="json-members">
			{entries.slice(0, shown.value).map(([key, member]) => (
				<Member key={key} name={key} value={member} open={open - 1} />
			))}
			{rest > 0 && (
				<button type="button" class="quiet" onClick={() => (shown.value += maxMembers * 10)}>
					{common.more(rest)}
				</button>
			)}
		</div>
	);
	// A member without a name is the root, which cannot be collapsed.
	if (name === undefined) return members();
	return (
		<div>
			<button type="button" class="json-toggle" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
				<span class="arrow" aria-hidden="true" />
				<Name name={name} />
				<span class="faint">{size || (isOpen.value ? "" : "{…}")}</span>
			</button>
			{isOpen.value && members()}
		</div>
	);
}

function Name({ name }: { readonly name: string | undefined }) {
	return name === undefined ? null : <span class="json-name">{escapeControlCharactersInLines(name)}</span>;
}

function Scalar({ value }: { readonly value: string | number | bigint | boolean | null }) {
	const isWhole = useSignal(false);
	if (typeof value !== "string") return <span class="json-scalar">{String(value)}</span>;
	const isLong = value.length > maxTextLength && !isWhole.value;
	return (
		<span class="json-text">
			{escapeControlCharactersInLines(isLong ? value.slice(0, maxTextLength) : value)}
			{isLong && (
				<button type="button" class="quiet" onClick={() => (isWhole.value = true)}>
					{texts.moreCharacters(value.length - maxTextLength)}
				</button>
			)}
		</span>
	);
}
