import type { ComponentChildren } from "preact";
import { escapeControlCharacters, escapeControlCharactersInLines } from "../../../_shipped/client.ts";
import * as common from "../texts/common.ts";
import { Fact } from "./fact.tsx";
import { StatusBadge } from "./status-badge.tsx";

interface RecordHeadProps {
	/** Fields of the record that the head shows. */
	readonly record: { readonly ref: string; readonly description: string; readonly enabled?: boolean };
	/** Buttons next to the name. */
	readonly actions?: ComponentChildren;
	/** Further facts that are shown directly below the description. */
	readonly children: ComponentChildren;
}

/** Shows the head of a record's page: its name, its description, and a note if it is disabled. */
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
					<Fact name={common.state}>
						<StatusBadge status={enabled ? "enabled" : "disabled"} />
					</Fact>
				)}
				{children}
			</dl>
		</>
	);
}
