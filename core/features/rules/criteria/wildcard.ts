import { TemplateError } from "../../../language/templates/errors.ts";

/** Element of a shell pattern: `*`, or a function that returns true if a character matches. */
type Element = "any" | ((character: string) => boolean);

/** Maximum number of comparisons for one match. */
const maxSteps = 1_000_000;

/** Returns true if all of `text` matches a shell pattern (`*`, `?`, `[seq]`, `[!seq]`). Throws `TemplateError` if it takes too long. */
export function matchesWildcard(text: string, pattern: string): boolean {
	if (text.length > maxSteps) throw new TemplateError("matching its pattern takes too long");
	const elements = toElements(pattern);
	const characters = [...text];
	let position = 0;
	let index = 0;
	let steps = 0;
	// Index of the last star in the pattern, and the end of the characters that it matches. Backtracking to the last star is sufficient.
	let star = -1;
	let taken = 0;
	while (position < characters.length) {
		if (++steps > maxSteps) throw new TemplateError("matching its pattern takes too long");
		const element = elements[index];
		if (element === "any") {
			star = index++;
			taken = position;
		} else if (element?.(characters[position] as string) === true) {
			index++;
			position++;
		} else if (star >= 0) {
			index = star + 1;
			position = ++taken;
		} else return false;
	}
	return elements.slice(index).every((element) => element === "any");
}

function toElements(pattern: string): readonly Element[] {
	const characters = [...pattern];
	const elements: Element[] = [];
	for (let index = 0; index < characters.length; index++) {
		const character = characters[index] as string;
		if (character === "*") elements.push("any");
		else if (character === "?") elements.push(() => true);
		else if (character === "[" && endOfSet(characters, index) !== undefined) {
			const end = endOfSet(characters, index) as number;
			elements.push(toSet(characters.slice(index + 1, end)));
			index = end;
		} else elements.push((other) => other === character);
	}
	return elements;
}

/**
 * Returns the index of the closing bracket. A bracket directly after the opening one belongs to the set. Returns undefined if there is
 * none; the opening bracket is then an ordinary character.
 */
function endOfSet(characters: readonly string[], start: number): number | undefined {
	const first = characters[start + 1] === "!" ? start + 2 : start + 1;
	const end = characters.indexOf("]", first + 1);
	return end < 0 ? undefined : end;
}

function toSet(characters: readonly string[]): (character: string) => boolean {
	const isNegated = characters[0] === "!";
	const members = isNegated ? characters.slice(1) : characters;
	const ranges: [number, number][] = [];
	for (let index = 0; index < members.length; index++) {
		const isRange = members[index + 1] === "-" && index + 2 < members.length;
		ranges.push([codePointOf(members[index]), codePointOf(members[isRange ? index + 2 : index])]);
		if (isRange) index += 2;
	}
	return (character) => ranges.some(([low, high]) => low <= codePointOf(character) && codePointOf(character) <= high) !== isNegated;
}

function codePointOf(character: string | undefined): number {
	return character?.codePointAt(0) ?? 0;
}
