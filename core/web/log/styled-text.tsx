import type { AnserJsonEntry } from "anser";
import Anser from "anser";
import { escapeControlCharacters } from "../../contract/control-characters.ts";
import { hasLink, toLinkPieces } from "./find-links.ts";

/** Sequences of terminals that are no colours: moves of the cursor, titles of windows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const otherSequences = /\u001b(?:\[[0-9;?]*[A-HJKSTfhilnsu]|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)|[()][A-Z0-9])/g;

/** A part of a line that looks the same. */
export interface StyledPart {
	readonly text: string;
	/** Names of classes; empty: as the rest. */
	readonly class: string;
	/** Colours without a class, by the names of the properties in which the style finds them. */
	readonly own?: Readonly<Record<string, string>>;
	/** Address of `http` or `https` that the text is. */
	readonly href?: string;
}

/**
 * A line as a terminal shows it: with its colours, as data, and with its addresses as links. What a carriage return has overwritten is left out, and characters that cannot
 * be seen are written out.
 */
export function toStyledParts(line: string): StyledPart[] {
	const text = toOverwritten(line.replace(/\r+$/, ""));
	if (!text.includes("\u001b")) return withLinks({ text: toSeen(text), class: "" });
	const parts = Anser.ansiToJson(text.replace(otherSequences, ""), { use_classes: true, json: true, remove_empty: true });
	return parts.flatMap((part) => withLinks(toStyledPart(part)));
}

function withLinks(part: StyledPart): StyledPart[] {
	return hasLink(part.text) ? toLinkPieces(part.text).map((piece) => ({ ...part, ...piece })) : [part];
}

function toStyledPart({ content, fg, bg, fg_truecolor, bg_truecolor, decorations }: AnserJsonEntry): StyledPart {
	const [text, ground] = [toAnsiColour(fg, fg_truecolor), toAnsiColour(bg, bg_truecolor)];
	const classes = [text.class, text.own && "own-colour", ground.class && `on-${ground.class}`, ground.own && "own-ground", ...decorations];
	const own = { ...(text.own && { "--own-colour": text.own }), ...(ground.own && { "--own-ground": ground.own }) };
	return { text: toSeen(content), class: classes.filter(Boolean).join(" "), ...(Object.keys(own).length > 0 && { own }) };
}

/** Progress bars write one line many times. */
function toOverwritten(text: string): string {
	return text.slice(text.lastIndexOf("\r") + 1);
}

/** Tabs are what they show as. */
function toSeen(text: string): string {
	return text.split("\t").map(escapeControlCharacters).join("\t");
}

/** The parts, with what is looked for marked. What is found across colours is not. */
export function StyledText({ parts, find }: { readonly parts: readonly StyledPart[]; readonly find: string }) {
	return (
		<>
			{parts.map(({ text, class: name, own, href }, index) =>
				href !== undefined ? (
					<a
						key={index}
						class={`log-link ${name}`}
						href={href}
						target="_blank"
						rel="noopener noreferrer nofollow"
						{...(own !== undefined && { style: own })}
					>
						<Marked text={text} find={find} />
					</a>
				) : name === "" ? (
					<Marked key={index} text={text} find={find} />
				) : (
					<span key={index} class={name} {...(own !== undefined && { style: own })}>
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

/** Colours that have names, in the order of their numbers; the light ones come behind them. */
const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** A colour of a terminal: one that has a name is a class, so that each theme has its own; another one is itself. */
interface AnsiColour {
	readonly class?: string;
	/** `rgb(…)`. */
	readonly own?: string;
}

/** What a part of a line is to have. @param name as anser has it. @param trueColour its parts, where it is one of the 16 millions */
function toAnsiColour(name: string | null, trueColour: string | null): AnsiColour {
	if (name === null) return {};
	if (name === "ansi-truecolor") return trueColour === null ? {} : { own: `rgb(${trueColour})` };
	const [, number] = /^ansi-palette-(\d+)$/.exec(name) ?? [];
	return number === undefined ? { class: name } : ofPalette(Number(number));
}

/** One of 256: those with names, a cube of six steps to each side, and greys. */
function ofPalette(number: number): AnsiColour {
	if (number < 16) return { class: `ansi-${number < 8 ? "" : "bright-"}${names[number % 8]}` };
	if (number > 231) return toOwn([1, 1, 1].map((part) => part * (8 + (number - 232) * 10)));
	const place = number - 16;
	const steps = [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6];
	return toOwn(steps.map((step) => (step === 0 ? 0 : 55 + step * 40)));
}

function toOwn(parts: readonly number[]): AnsiColour {
	return { own: `rgb(${parts.join(", ")})` };
}
