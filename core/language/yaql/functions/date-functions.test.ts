import { test } from "uvu";
import { checkCases } from "../cases.test-support.ts";

test("dates and lengths of time", async () => {
	await checkCases(table);
});

const table = `
datetime(2020, 1, 31).format('%Y-%m-%d') → "2020-01-31"
datetime(2020, 1, 31, 10, 20, 30, 5).format('%H:%M:%S.%f') → "10:20:30.000005"
datetime(2020, 2, 30) → error ValueError: this date and time does not exist
datetime(0, 1, 1) → error ValueError: the year is out of range
datetime(2020, 13, 1) → error ValueError: this date and time does not exist
datetime('2020-01-31T10:20:30Z').format('%d.%m.%y %I:%M %p') → "31.01.20 10:20 AM"
datetime('2020-01-31T10:20:30+02:00').hour → 10
datetime('2020-01-31T10:20:30+02:00').utc.hour → 8
datetime('31/01/2020', '%d/%m/%Y').month → 1
datetime('31 Jan 2020 05 PM', '%d %b %Y %I %p').hour → 17
datetime('x', '%Y') → error ValueError: the text does not match the format
datetime('nonsense text') → error ValueError: the text is not a date
datetime(0).year → 1970
datetime(1580466030).format('%Y-%m-%dT%H:%M:%S%z') → "2020-01-31T10:20:30+0000"
datetime(2020, 1, 31).year → 2020
datetime(2020, 1, 31).month → 1
datetime(2020, 1, 31).day → 31
datetime(2020, 1, 31, 10, 20, 30, 5).microsecond → 5
datetime(2020, 1, 31, 10, 20, 30).minute → 20
datetime(2020, 1, 31, 10, 20, 30).second → 30
datetime(2020, 1, 31).weekday → 4
datetime(2020, 2, 2).weekday → 6
datetime(2020, 1, 31, 10).timestamp → 1580464800
datetime(2020, 1, 31, 10).date.hour → 0
datetime(2020, 1, 31, 10, 30).time.minutes → 630
datetime(2020, 1, 31, offset => timespan(hours => 2)).offset.hours → 2
datetime(2020, 1, 31, offset => timespan(hours => 2)).utc.day → 30
datetime(2020, 1, 31).replace(year => 2021, day => 1).format('%Y-%m-%d') → "2021-01-01"
datetime(2020, 1, 31) + timespan(days => 1) = datetime(2020, 2, 1) → true
timespan(days => 1) + datetime(2020, 1, 31) = datetime(2020, 2, 1) → true
datetime(2020, 1, 31) - timespan(hours => 1) < datetime(2020, 1, 31) → true
(datetime(2020, 2, 1) - datetime(2020, 1, 31)).days → 1
datetime(2020, 1, 1) > datetime(2019, 1, 1) → true
datetime(2020, 1, 1) <= datetime(2019, 1, 1) → false
datetime(2020, 1, 1) > 1 → error NoMatchingFunctionException: No function "#operator_>" matches supplied arguments
timespan(hours => 1).minutes → 60
timespan(minutes => 90).hours → 1.5
timespan(seconds => 1).milliseconds → 1000
timespan(milliseconds => 2).microseconds → 2000
timespan(days => 1).seconds → 86400
timespan(1, 2, 3, 4, 5, 6).microseconds → 93784005006
timespan(hours => 1) + timespan(minutes => 30) = timespan(minutes => 90) → true
timespan(hours => 1) - timespan(minutes => 30) > timespan(minutes => 29) → true
timespan(hours => 1) * 2 = timespan(hours => 2) → true
2 * timespan(hours => 1) = timespan(hours => 2) → true
timespan(hours => 1) / 2 = timespan(minutes => 30) → true
timespan(hours => 1) / timespan(minutes => 30) → 2
-timespan(hours => 1) < timespan() → true
timespan(hours => 1) / 0 → error ZeroDivisionError: division by zero
str(timespan(days => 1, hours => 2)) → "1 day, 2:00:00"
str(timespan(hours => -1)) → "-1 day, 23:00:00"
str(datetime(2020, 1, 31, 10, 20, 30)) → "2020-01-31 10:20:30+00:00"
isDatetime(now()) → true
isDatetime(1) → false
isTimespan(timespan()) → true
isTimespan(now()) → false
now().year > 2000 → true
now() > datetime(2020, 1, 1) → true
now() - now() < timespan(seconds => 1) → true
now(timespan(hours => 1)).offset.hours → 1
utctz().hours → 0
datetime(2020, 1, 31).foo → error NoFunctionRegisteredException: Unknown function "#property#foo"
timespan(days => 1).year → error NoMatchingFunctionException: No function "#property#year" matches supplied arguments
`;

test.run();
