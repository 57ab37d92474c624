import type { Incident } from "./campaign.ts";
import { changeAround, findPlaces, type JsonTree, type Place } from "./json-tree.ts";
import type { Problem, ProblemKind } from "./judge.ts";
import type { Laboratory } from "./laboratory.ts";
import type { FuzzRequest } from "./make-request.ts";
import type { Past } from "./past.ts";

/** The fewest requests that were found to do it, and whether they did it again. */
export interface Minimal {
	readonly requests: readonly FuzzRequest[];
	readonly problem: Problem | undefined;
}

/** The fewest requests that make it happen on a new service; without `problem` when none of them does. */
export async function shrink(incident: Incident, past: Past, laboratory: Laboratory): Promise<Minimal> {
	const { problem, suspects } = incident;
	const { kind } = problem;
	for (const suspect of suspects) {
		if (laboratory.isOver) break;
		const requests = past.chain(suspect);
		const again = await laboratory.try(kind, requests);
		if (again !== undefined) return reduce(kind, { requests, problem: again }, laboratory);
	}
	// One may have changed what another reads.
	for (const together of [suspects, [...suspects].reverse()]) {
		if (laboratory.isOver || suspects.length < 2) break;
		const requests = [...new Set(together.flatMap((suspect) => past.chain(suspect)))];
		const again = await laboratory.try(kind, requests);
		if (again !== undefined) return reduce(kind, { requests, problem: again }, laboratory);
	}
	for (const suspect of suspects) {
		if (laboratory.isOver) break;
		const found = await findBefore(incident, suspect, past, laboratory);
		if (found !== undefined) return found;
	}
	return { requests: suspects, problem: undefined };
}

/** What was changed before a request, and makes it happen with that. */
async function findBefore({ problem }: Incident, suspect: FuzzRequest, past: Past, laboratory: Laboratory): Promise<Minimal | undefined> {
	const { kind } = problem;
	const groups = past.changes.map((change) => past.chain(change));
	for (let from = 0; from < groups.length; ) {
		const before = groups.slice(0, from).flat();
		const found = await laboratory.findCulprit(kind, [[...before, ...(groups[from] ?? [])], ...groups.slice(from + 1)], suspect);
		if (found === undefined) return undefined;
		const culprit = from + found;
		const short = [...(groups[culprit] ?? []), suspect];
		const again = await laboratory.try(kind, short);
		if (again !== undefined) return reduce(kind, { requests: short, problem: again }, laboratory);
		const whole = [...groups.slice(0, culprit + 1).flat(), suspect];
		if (laboratory.isOver || (await laboratory.try(kind, whole)) !== undefined) return { requests: whole, problem };
		// It was the machine that was slow.
		from = culprit + 1;
	}
	return undefined;
}

/** Leave out whole requests, headers and members of bodies for as long as it still happens. */
async function reduce(kind: ProblemKind, found: Minimal, laboratory: Laboratory): Promise<Minimal> {
	let best = found;
	const attempt = async (requests: readonly FuzzRequest[]) => {
		if (laboratory.isOver) return false;
		const problem = await laboratory.try(kind, requests);
		if (problem !== undefined) best = { requests, problem };
		return problem !== undefined;
	};
	for (let at = best.requests.length - 1; at >= 0 && best.requests.length > 1; at -= 1)
		await attempt(best.requests.filter((_, index) => index !== at));
	for (let at = 0; at < best.requests.length; at += 1) {
		const put = (request: FuzzRequest) => attempt(best.requests.map((other, index) => (index === at ? request : other)));
		const { headers } = best.requests[at] as FuzzRequest;
		const bare = headers.filter(([name]) => name === "content-type");
		if (bare.length < headers.length) await put({ ...(best.requests[at] as FuzzRequest), headers: bare });
		await reduceTree(() => best.requests[at] as FuzzRequest, put);
	}
	return best;
}

/** From the root on, so that whole branches go first. */
async function reduceTree(current: () => FuzzRequest, put: (request: FuzzRequest) => Promise<boolean>): Promise<void> {
	let places = placesOf(current().tree);
	while (places.length > 0) {
		const [place, ...rest] = places as [Place, ...Place[]];
		const { tree = null } = current();
		const smaller = changeAround(tree, place, (fields, index) => void fields.splice(index, 1));
		// What stood behind what is gone has moved up into its place.
		places = (await put({ ...current(), tree: smaller })) ? placesOf(smaller).filter((other) => !isBefore(other, place)) : rest;
	}
}

function placesOf(tree: JsonTree | undefined): readonly Place[] {
	if (tree === undefined) return [];
	return findPlaces(tree)
		.slice(1)
		.sort((a, b) => a.length - b.length);
}

function isBefore(other: Place, place: Place): boolean {
	if (other.length !== place.length) return other.length < place.length;
	const differing = other.findIndex((index, level) => index !== place[level]);
	return differing >= 0 && (other[differing] ?? 0) < (place[differing] ?? 0);
}
