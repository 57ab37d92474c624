import type { ComponentChildren } from "preact";
import { escapeControlCharacters, escapeControlCharactersInLines } from "../../contract/control-characters.ts";
import { Fact } from "./fact.tsx";
import { StatusBadge } from "./status-badge.tsx";

interface RecordHeadProps {
	/** What somebody has called it, and says of it. */
	readonly record: { readonly ref: string; readonly description: string; readonly enabled?: boolean };
	/** Buttons beside its name. */
	readonly actions?: ComponentChildren;
	/** What else is to be known of it at once. */
	readonly children: ComponentChildren;
}

/** The head of the page of one record: its name, what it is, and whether it is enabled where it can be disabled. */
export function RecordHead({ record: { ref, description, enabled }, actions, children }: RecordHeadProps) {
	return (
		<>
			<div class="page-head">
				<h1>{escapeControlCharacters(ref)}</h1>
				{actions}
			</div>
			{description !== "" && <p>{escapeControlCharactersInLines(description)}</p>}
			<dl class="facts">
				{enabled !== undefined && (
					<Fact name="State">
						<StatusBadge status={enabled ? "enabled" : "disabled"} />
					</Fact>
				)}
				{children}
			</dl>
		</>
	);
}
