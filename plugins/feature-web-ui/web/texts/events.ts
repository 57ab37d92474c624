/** Texts of the pages about events and their sources. */

export const tabs = "Views of events";
export const webhooks = "Webhooks";
export const deliveries = "Deliveries";
export const timers = "Timers";
export const sensors = "Sensors";
export const triggerTypes = "Trigger types";
export const refusal = "You have no permission to view events or their sources.";
export const typeHint = "pack.type";

export const noEvents = "No event matches";
export const noEventsStep =
	"Change or clear the filters. Events come from the webhooks, timers and sensors that rules use, and from executions that end.";
export const effects = "Effects";
export const emitAgain = "Emit again";
export const emitted = "The event was emitted again: this is the new event";
export const payload = "Payload";
export const mayNotViewPayload = "You have no permission to view the payload.";
export const rulesOfTrigger = "Rules with this trigger";
export const noRuleOfTrigger = "No rule has this trigger.";
export const testRule = (rule: string) => `Test ${rule} with this event`;

export const webhook = "Webhook";
export const address = "Address";
export const noWebhooks = "No rule has registered a webhook";
export const noWebhooksStep = "Create a rule with the trigger `core.svc.webhook` and a `url`.";
export const verdict = "Verdict";
export const noDeliveries = "No stored delivery matches";
export const noDeliveriesStep =
	"A webhook stores its deliveries if its rule sets `ledger: true` next to the `url`. If it does, change or clear the filters.";
export const replay = "Replay";
export const replayNamed = (id: string) => `Replay ${id}`;
export const replayed = "The delivery was replayed";
export const eventOfDelivery = "Event, to test rules with";

export const timer = "Timer";
export const lastFired = "Last fired";
export const nextFired = "Next firing";
export const noNextFiring = "never, or no rule is enabled";
export const noTimers = "No rule has a timer";
export const noTimersStep = "Create a rule with a trigger such as `core.svc.IntervalTimer`.";

export const sensor = "Sensor";
export const since = "Since";
export const details = "Details";
export const operation = "Operation";
export const failedTimes = (count: number) => `failed ${count} times in a row: `;
export const sensorEnabled = "The sensor is enabled";
export const sensorDisabled = "The sensor is disabled";
export const enableNamed = (sensor: string) => `Enable ${sensor}`;
export const disableNamed = (sensor: string) => `Disable ${sensor}`;
export const noSensors = "There are no sensors";
export const noSensorsStep = "Install a pack that has sensors, or add some to the configuration.";

export const noTriggerTypes = "No trigger type matches";
export const eventsOfType = "Events of this type";
export const noSchema = "No schema is defined.";
export const rulesOfType = "Rules with this trigger type";
export const noRuleOfType = "No rule has this trigger type.";
export const sensorsOfType = "Sensors that emit its events";
