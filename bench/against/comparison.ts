import { median } from "../harness/statistics.ts";

/** What a turn of load measured. */
export interface Turn {
	/** Operations a second. */
	readonly rate: number;
	/** Milliseconds of processor time that the service used for an operation. */
	readonly processorTime: number;
}

/** One turn of each service, straight after one another. */
export interface Round {
	readonly base: Turn;
	/** A second instance of the base. */
	readonly control: Turn;
	readonly candidate: Turn;
}

export type Verdict = "slower" | "faster" | "no difference";

export interface Comparison {
	/** Candidate ÷ base. */
	readonly ratio: number;
	/** Control ÷ base, which is 1 but for chance. */
	readonly control: number;
	/** How far chance moves a ratio: 0.01 is 1 %. A ratio counts if it is more than twice as far from 1. */
	readonly spread: number;
	readonly verdict: Verdict;
}

export type Figure = keyof Turn;

/**
 * Compares one figure of all rounds. Ratios are formed within each round, so that a machine that slows down for longer than a
 * round does not change them. The two instances of the base count as one, by their geometric mean.
 */
export function compareRounds(rounds: readonly Round[], figure: Figure): Comparison {
	const logs = rounds.map(({ base, control, candidate }) => ({
		base: Math.log(base[figure]),
		control: Math.log(control[figure]),
		candidate: Math.log(candidate[figure]),
	}));
	const difference = middle(logs.map(({ base, control, candidate }) => candidate - (base + control) / 2));
	const controls = logs.map(({ base, control }) => control - base);
	const controlDifference = middle(controls);
	const spread = Math.max(Math.abs(controlDifference), spreadOfMiddle(controls));
	return { ratio: Math.exp(difference), control: Math.exp(controlDifference), spread, verdict: toVerdict(difference, { spread, figure }) };
}

/** A spread at which a difference of 3 % is found in nearly all comparisons, if two processes of one build are alike. */
const exactSpread = 0.008;
/** Rounds after which a comparison ends although it is less exact: half an hour with three builds. */
const mostRounds = 1_200;

/**
 * Whether the turns show the processor time, which is the steadier figure, exactly enough. More of them do not change how far two processes of
 * one build differ. `least` is the number of rounds that are always made.
 */
export function isExactEnough(rounds: readonly Round[], least: number): boolean {
	if (rounds.length < least) return false;
	const controls = rounds.map(({ base, control }) => Math.log(control.processorTime / base.processorTime));
	return rounds.length >= mostRounds || spreadOfMiddle(controls) <= exactSpread;
}

/** A slower build does fewer operations a second, or takes more processor time for each. */
function toVerdict(difference: number, { spread, figure }: { readonly spread: number; readonly figure: Figure }): Verdict {
	if (Math.abs(difference) <= 2 * spread) return "no difference";
	return difference > 0 === (figure === "processorTime") ? "slower" : "faster";
}

/**
 * The median of the means of all pairs of values, each with itself too (Hodges and Lehmann). Single outliers move it as little
 * as a median, and for values without outliers it is as exact as their mean.
 */
export function middle(values: readonly number[]): number {
	const means = values.flatMap((one, index) => values.slice(index).map((other) => (one + other) / 2));
	return median(means);
}

/** The interquartile range divided by the square root of the count: about 1.3 standard errors of `middle`. */
export function spreadOfMiddle(values: readonly number[]): number {
	return (interpolate(values, 0.75) - interpolate(values, 0.25)) / Math.sqrt(values.length);
}

function interpolate(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	const position = (sorted.length - 1) * share;
	const [lower = Number.NaN, upper = lower] = sorted.slice(Math.floor(position), Math.floor(position) + 2);
	return lower + (upper - lower) * (position - Math.floor(position));
}

/**
 * Order of the services in a round: each is first, second and last equally often, and each order is followed by its reverse, so
 * that neither a drift nor what the turn before leaves behind favours one.
 */
export function orderOfRound<T>(services: readonly T[], round: number): readonly T[] {
	const shift = Math.floor(round / 2) % services.length;
	const order = [...services.slice(shift), ...services.slice(0, shift)];
	return round % 2 === 0 ? order : order.reverse();
}
