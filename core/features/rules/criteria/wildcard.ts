import { TemplateError } from "../../../language/templates/errors.ts";

/** One element of a shell pattern: `*`, or whether a character fits. */
type Element = "any" | ((character: string) => boolean);

/** Comparisons one match may take. */
const mostSteps = 1_000_000;

/** Whether the whole text fits a shell pattern: `*`, `?`, `[seq]`, `[!seq]`. */
export function matchesWildcard(text: string, pattern: string): boolean {
	if (text.length > mostSteps) throw new TemplateError("the search for its pattern takes too long");
	const elements = toElements(pattern);
	const characters = [...text];
	let position = 0;
	let index = 0;
	let steps = 0;
	// Where the last star stands and how far its text has been taken: the only place to come back to.
	let star = -1;
	let taken = 0;
	while (position < characters.length) {
		if (++steps > mostSteps) throw new TemplateError("the search for its pattern takes too long");
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

/** Place of the closing bracket; one right behind the opening belongs to the set. Without any the bracket stands for itself. */
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
