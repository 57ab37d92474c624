import * as assert from "node:assert/strict";
import { test } from "uvu";
import { compareStarts, isExactEnough, middle, orderOfRound, type Start, spreadOfMiddle, type Turn, type Verdict } from "./comparison.ts";

interface Machine {
	/** How many times as long the candidate takes. */
	readonly factor?: number;
	/** Share by which turns vary at most. */
	readonly noise?: number;
	/** Share by which processes of one build vary at most. */
	readonly processes?: number;
	/** Share of its speed that the machine loses with each round. */
	readonly drift?: number;
	readonly starts?: number;
	readonly seed?: number;
}

/** Starts on a machine that varies always in the same way. */
function makeStarts({ factor = 1, noise = 0.01, processes = 0.002, drift = 0, starts = 8, seed = 7 }: Machine): readonly Start[] {
	let state = seed;
	const random = () => {
		state = (state * 48_271) % 2_147_483_647;
		return 2 * (state / 2_147_483_647 - 0.5);
	};
	const turn = (speed: number): Turn => {
		const processorTime = (0.4 / speed) * (1 + noise * random());
		return { processorTime, rate: 1_000 / processorTime };
	};
	return Array.from({ length: starts }, (_none, start) => {
		const [base, control, candidate] = [1, 1, 1 / factor].map((speed) => speed * (1 + processes * random())) as [number, number, number];
		return Array.from({ length: 12 }, (_nothing, round) => {
			const speed = (1 - drift) ** (12 * start + round);
			return { base: turn(speed * base), control: turn(speed * control), candidate: turn(speed * candidate) };
		});
	});
}

/** Makes as many starts as it takes. */
function compareExactly(machine: Machine): Verdict {
	let starts = 8;
	while (!isExactEnough(makeStarts({ ...machine, starts }), 14)) starts += 1;
	return compareStarts(makeStarts({ ...machine, starts }), "processorTime").verdict;
}

test("a build that takes 3 % longer is slower in both figures", () => {
	const starts = makeStarts({ factor: 1.03 });
	const [rate, time] = [compareStarts(starts, "rate"), compareStarts(starts, "processorTime")];
	assert.equal(rate.verdict, "slower");
	assert.equal(time.verdict, "slower");
	assert.ok(Math.abs(rate.ratio - 1 / 1.03) < 0.01 && Math.abs(time.ratio - 1.03) < 0.01);
});

test("a build that takes 3 % less is faster", () => {
	assert.equal(compareStarts(makeStarts({ factor: 0.97 }), "rate").verdict, "faster");
	assert.equal(compareStarts(makeStarts({ factor: 0.97 }), "processorTime").verdict, "faster");
});

test("the same build shows no difference", () => {
	for (const starts of [8, 9, 20]) assert.equal(compareStarts(makeStarts({ starts }), "processorTime").verdict, "no difference");
});

test("a difference that noise of that size could make does not count", () => {
	assert.equal(compareStarts(makeStarts({ factor: 1.03, processes: 0.1 }), "processorTime").verdict, "no difference");
});

test("processes of one build that differ by 2 % neither hide 3 % nor look like a difference", () => {
	const seeds = Array.from({ length: 200 }, (_none, index) => 7 + 1_000 * index);
	const machine = { noise: 0.05, processes: 0.02 };
	const wrong = seeds.filter((seed) => compareExactly({ ...machine, seed }) !== "no difference");
	const missed = seeds.filter((seed) => compareExactly({ ...machine, seed, factor: 1.03 }) !== "slower");
	assert.ok(wrong.length <= 2, `${wrong.length} of 200 comparisons of a build with itself showed a difference`);
	assert.ok(missed.length <= 2, `${missed.length} of 200 comparisons missed 3 %`);
});

test("a noisy machine needs more starts, but not for ever", () => {
	assert.equal(isExactEnough(makeStarts({ starts: 7 }), 14), false);
	assert.equal(isExactEnough(makeStarts({ starts: 8 }), 14), true);
	assert.equal(isExactEnough(makeStarts({ starts: 8 }), 100), false);
	assert.equal(isExactEnough(makeStarts({ processes: 0.05, starts: 8 }), 14), false);
	assert.equal(isExactEnough(makeStarts({ processes: 0.5, starts: 47 }), 14), false);
	assert.equal(isExactEnough(makeStarts({ processes: 0.5, starts: 48 }), 14), true);
});

test("a machine that becomes slower from round to round hides nothing and adds nothing", () => {
	assert.equal(compareStarts(makeStarts({ drift: 0.02 }), "rate").verdict, "no difference");
	assert.equal(compareStarts(makeStarts({ factor: 1.03, drift: 0.02 }), "rate").verdict, "slower");
});

test("a difference between two instances of the base widens what does not count", () => {
	const starts = makeStarts({ factor: 1.02, noise: 0.001 }).map((rounds) =>
		rounds.map((round) => ({ ...round, control: { ...round.control, rate: round.control.rate * 1.02 } })),
	);
	const { spread, verdict } = compareStarts(starts, "rate");
	assert.ok(Math.abs(spread - 0.02) < 0.002);
	assert.equal(verdict, "no difference");
});

test("an outlier moves the middle little", () => {
	const values = [1, 1.01, 0.99, 1.02, 0.98, 1, 1.01, 0.99, 1];
	assert.ok(Math.abs(middle(values) - 1) < 0.001);
	assert.ok(Math.abs(middle([...values, 50]) - 1) < 0.01);
});

test("the spread shrinks with the root of the number of starts", () => {
	const values = [1, 2, 3, 4, 5];
	assert.ok(Math.abs(spreadOfMiddle(values) - 1.5 * Math.sqrt(2.5 / 5)) < 1e-9);
	const ratio = spreadOfMiddle(Array.from({ length: 20 }, () => values).flat()) / spreadOfMiddle(values);
	assert.ok(ratio < 1 / Math.sqrt(20) && ratio > 0.85 / Math.sqrt(20));
});

test("each service is first, second and last equally often, and each follows each other", () => {
	const orders = Array.from({ length: 6 }, (_none, round) => orderOfRound(["a", "b", "c"], round));
	assert.deepEqual(
		orders.map((order) => order.join("")),
		["abc", "cba", "bca", "acb", "cab", "bac"],
	);
});

test.run();
