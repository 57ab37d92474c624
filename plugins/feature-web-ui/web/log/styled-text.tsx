import type { AnserJsonEntry } from "anser";
import Anser from "anser";
import { escapeControlCharacters } from "../../../_shipped/client.ts";
import { hasLink, toLinkPieces } from "./find-links.ts";

/** Terminal escape sequences to remove: all but colours, such as cursor movements and window titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const otherSequences = /\u001b(?:\[[0-9;?]*[A-HJKSTfhilnsu]|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)|[()][A-Z0-9])/g;

/** Part of a line with a uniform style. */
export interface StyledPart {
	readonly text: string;
	/** Class names; empty for the default style. */
	readonly class: string;
	/** Colours without a class, as values of the CSS properties that the stylesheet reads. */
	readonly own?: Readonly<Record<string, string>>;
	/** URL if the text is an `http` or `https` link. */
	readonly href?: string;
}

/**
 * Splits a line into parts with the colours that a terminal would show, and with URLs as links. Colours and links are returned as data, not
 * as HTML. Text that a carriage return has overwritten is left out. Control characters are displayed as escapes.
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

/** Returns the text after the last carriage return. Progress bars overwrite a line many times. */
function toOverwritten(text: string): string {
	return text.slice(text.lastIndexOf("\r") + 1);
}

/** Escapes control characters except tabs, which browsers display. */
function toSeen(text: string): string {
	return text.split("\t").map(escapeControlCharacters).join("\t");
}

/** Shows the parts of a line with the search matches highlighted. A match that spans two parts is not highlighted. */
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

/** Names of the terminal colours 0 to 7. The colours 8 to 15 are their bright versions. */
const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** A terminal colour. A named colour is a class, so that each theme can define it. Other colours are given by value. */
interface AnsiColour {
	readonly class?: string;
	/** Colour value as `rgb(…)`. */
	readonly own?: string;
}

/**
 * Converts a colour of anser.
 *
 * @param name class name of anser
 * @param trueColour red, green and blue of a 24-bit colour
 */
function toAnsiColour(name: string | null, trueColour: string | null): AnsiColour {
	if (name === null) return {};
	if (name === "ansi-truecolor") return trueColour === null ? {} : { own: `rgb(${trueColour})` };
	const [, number] = /^ansi-palette-(\d+)$/.exec(name) ?? [];
	return number === undefined ? { class: name } : ofPalette(Number(number));
}

/** Converts a number of the 256-colour palette: 16 named colours, a 6×6×6 colour cube and 24 greys. */
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
