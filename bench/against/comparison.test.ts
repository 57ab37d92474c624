import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRounds, isExactEnough, middle, orderOfRound, type Round, spreadOfMiddle, type Turn } from "./comparison.ts";

/** Rounds whose turns vary by up to `noise`, always in the same way, where the candidate takes `factor` times as long. */
function makeRounds({ factor = 1, noise = 0.01, drift = 0, count = 14 }): readonly Round[] {
	let state = 7;
	const random = () => {
		state = (state * 48_271) % 2_147_483_647;
		return state / 2_147_483_647 - 0.5;
	};
	const turn = (speed: number): Turn => {
		const processorTime = (0.4 / speed) * (1 + 2 * noise * random());
		return { processorTime, rate: 1_000 / processorTime };
	};
	return Array.from({ length: count }, (_none, index) => {
		const speed = 1 - drift * index;
		return { base: turn(speed), control: turn(speed), candidate: turn(speed / factor) };
	});
}

test("a build that takes 3 % longer is slower in both figures", () => {
	const rounds = makeRounds({ factor: 1.03 });
	const [rate, time] = [compareRounds(rounds, "rate"), compareRounds(rounds, "processorTime")];
	assert.equal(rate.verdict, "slower");
	assert.equal(time.verdict, "slower");
	assert.ok(Math.abs(rate.ratio - 1 / 1.03) < 0.01 && Math.abs(time.ratio - 1.03) < 0.01);
});

test("a build that takes 3 % less is faster", () => {
	assert.equal(compareRounds(makeRounds({ factor: 0.97 }), "rate").verdict, "faster");
	assert.equal(compareRounds(makeRounds({ factor: 0.97 }), "processorTime").verdict, "faster");
});

test("the same build shows no difference", () => {
	for (const count of [14, 20, 42]) assert.equal(compareRounds(makeRounds({ count }), "processorTime").verdict, "no difference");
});

test("a difference that noise of that size could make does not count", () => {
	assert.equal(compareRounds(makeRounds({ factor: 1.03, noise: 0.3 }), "processorTime").verdict, "no difference");
});

test("a noisy machine needs more rounds, but not for ever", () => {
	assert.equal(isExactEnough(makeRounds({ noise: 0.01, count: 13 }), 14), false);
	assert.equal(isExactEnough(makeRounds({ noise: 0.01, count: 14 }), 14), true);
	assert.equal(isExactEnough(makeRounds({ noise: 0.15, count: 14 }), 14), false);
	assert.equal(isExactEnough(makeRounds({ noise: 0.15, count: 1_000 }), 14), true);
	assert.equal(isExactEnough(makeRounds({ noise: 0.9, count: 1_199 }), 14), false);
	assert.equal(isExactEnough(makeRounds({ noise: 0.9, count: 1_200 }), 14), true);
});

test("a machine that becomes slower from round to round hides nothing and adds nothing", () => {
	assert.equal(compareRounds(makeRounds({ drift: 0.05 }), "rate").verdict, "no difference");
	assert.equal(compareRounds(makeRounds({ factor: 1.03, drift: 0.05 }), "rate").verdict, "slower");
});

test("a difference between two instances of the base widens what does not count", () => {
	const rounds = makeRounds({ factor: 1.02, noise: 0.001 }).map((round) => ({
		...round,
		control: { ...round.control, rate: round.control.rate * 1.02 },
	}));
	const { spread, verdict } = compareRounds(rounds, "rate");
	assert.ok(Math.abs(spread - 0.02) < 0.002);
	assert.equal(verdict, "no difference");
});

test("an outlier moves the middle little", () => {
	const values = [1, 1.01, 0.99, 1.02, 0.98, 1, 1.01, 0.99, 1];
	assert.ok(Math.abs(middle(values) - 1) < 0.001);
	assert.ok(Math.abs(middle([...values, 50]) - 1) < 0.01);
});

test("the spread shrinks with the root of the number of rounds", () => {
	const values = [1, 2, 3, 4, 5];
	assert.equal(spreadOfMiddle(values), 2 / Math.sqrt(5));
	assert.equal(spreadOfMiddle([...values, ...values, ...values, ...values]) < spreadOfMiddle(values), true);
});

test("each service is first, second and last equally often, and each follows each other", () => {
	const orders = Array.from({ length: 6 }, (_none, round) => orderOfRound(["a", "b", "c"], round));
	assert.deepEqual(
		orders.map((order) => order.join("")),
		["abc", "cba", "bca", "acb", "cab", "bac"],
	);
});
