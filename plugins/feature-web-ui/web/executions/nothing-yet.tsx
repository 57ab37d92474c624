import { Empty } from "../parts/empty.tsx";
import * as texts from "../texts/execution-list.ts";

/** Shows how to start a first run if there are none. */
export function NothingYet() {
	return <Empty title={texts.noneYet} step={texts.noneYetStep} />;
}
