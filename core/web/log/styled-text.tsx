import Anser from "anser";
import { toSeenLine } from "../../contract/unseen-text.ts";

/** Sequences of terminals that are no colours: moves of the cursor, titles of windows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const otherSequences = /\u001b(?:\[[0-9;?]*[A-HJKSTfhilnsu]|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)|[()][A-Z0-9])/g;

/** A part of a line that looks the same. */
export interface StyledPart {
	readonly text: string;
	/** Names of classes; empty: as the rest. */
	readonly class: string;
}

/**
 * A line as a terminal shows it: with its colours, as data. What a carriage return has overwritten is left out, and characters that cannot
 * be seen are written out.
 */
export function toStyledParts(line: string): readonly StyledPart[] {
	const text = toOverwritten(line.replace(/\r+$/, ""));
	if (!text.includes("\u001b")) return [{ text: toSeen(text), class: "" }];
	const parts = Anser.ansiToJson(text.replace(otherSequences, ""), { use_classes: true, json: true, remove_empty: true });
	return parts.map(({ content, fg, bg, decorations }) => ({
		text: toSeen(content),
		class: [fg, bg && `on-${bg}`, ...decorations].filter(Boolean).join(" "),
	}));
}

/** Progress bars write one line many times. */
function toOverwritten(text: string): string {
	return text.slice(text.lastIndexOf("\r") + 1);
}

/** Tabs are what they show as. */
function toSeen(text: string): string {
	return text.split("\t").map(toSeenLine).join("\t");
}

/** The parts, with what is looked for marked. What is found across colours is not. */
export function StyledText({ parts, find }: { readonly parts: readonly StyledPart[]; readonly find: string }) {
	return (
		<>
			{parts.map(({ text, class: name }, index) =>
				name === "" ? (
					<Marked key={index} text={text} find={find} />
				) : (
					<span key={index} class={name}>
						<Marked text={text} find={find} />
					</span>
				),
			)}
		</>
	);
}

function Marked({ text, find }: { readonly text: string; readonly find: string }) {
	if (find === "" || !text.includes(find)) return <>{text}</>;
	return (
		<>
			{text.split(find).map((piece, index) => (
				<>
					{index > 0 && <mark>{find}</mark>}
					{piece}
				</>
			))}
		</>
	);
}
