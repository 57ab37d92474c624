import type { OutputLineRecord } from "../../../_shipped/client.ts";
import { toLocal } from "../parts/time.tsx";
import * as texts from "../texts/log.ts";
import { hasLink } from "./find-links.ts";
import { StyledText, toStyledParts } from "./styled-text.tsx";

/** Display options of the log. */
export interface LineLook {
	readonly showsTime: boolean;
	readonly find: string;
}

interface LogLineProps {
	readonly number: number;
	/** Undefined until the line has been read. */
	readonly line: OutputLineRecord | undefined;
	readonly href: string;
	readonly isMarked: boolean;
	readonly look: LineLook;
	/** Maximum number of coloured parts and links. A line with more of them is shown as plain text, which limits the number of elements. */
	readonly mostParts: number;
}

/** Shows a line of the output, and its number as a link to the line. */
export function LogLine({ number, line, href, isMarked, look, mostParts }: LogLineProps) {
	const parts = line === undefined ? [] : toStyledParts(line.text);
	const isCut = line !== undefined && line.length > line.text.length;
	// Remove the link at the end of a truncated line: its URL may be incomplete.
	if (isCut) parts.splice(-1, 1, ...parts.slice(-1).map(({ href: _href, ...part }) => part));
	const shown = parts.length > mostParts ? [{ text: parts.map(({ text }) => text).join(""), class: "" }] : parts;
	const more = line === undefined ? 0 : line.length - line.text.length;
	return (
		<div class={`log-line ${line?.output_type ?? ""} ${isMarked ? "marked" : ""}`}>
			<a class="log-number" href={href}>
				{number}
			</a>
			{look.showsTime && line !== undefined && <time dateTime={line.timestamp}>{toLocal(line.timestamp).slice(11)} </time>}
			{line === undefined ? "…" : <StyledText parts={shown} find={look.find} />}
			{more > 0 && <i>{texts.moreCharacters(more)}</i>}
		</div>
	);
}

/** Returns the number of coloured parts and links of a line; each needs an element. */
export function countParts(line: OutputLineRecord | undefined): number {
	return line === undefined || !(line.text.includes("\u001b") || hasLink(line.text)) ? 0 : toStyledParts(line.text).length;
}
